/** How far an exchange may go, what all of them may cost, and what a server does at its own limits. */
import { useAnswer } from "../../studio/context.js";
import { money, short } from "../../texts/figures.js";
import { texts } from "../../texts/texts.js";
import { Loaded, Section, SettingGroup } from "../one/group.js";

export function Limits() {
  const { limits } = texts.settings;
  const used = useAnswer(["usage", 1], ({ http }, signal) =>
    http.get("/api/usage", { query: { days: 1 }, signal }),
  );
  return (
    <>
      <Loaded of={used}>
        {({ days }) => (
          <p className="rounded-panel border border-line bg-surface p-3 text-sm">
            {limits.used(money(sum(days, "cost")), short(sum(days, "tokens")))}
          </p>
        )}
      </Loaded>
      <SettingGroup names={["limits", "window_hours", "window_usd", "window_tokens"]} />
      <Section title={limits.server}>
        <SettingGroup names={["concurrency", "patience", "on_crash", "grace", "trim_after_days"]} />
      </Section>
    </>
  );
}

function sum<K extends string>(rows: Record<K, number>[], name: K): number {
  return rows.reduce((all, row) => all + row[name], 0);
}
