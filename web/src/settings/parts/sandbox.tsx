/** Where commands run, what they may read and reach, and what becomes of each kind of call in each mode. */
import type { Schema } from "../../api/http.js";
import { useNext } from "../../studio/answers.js";
import { useAnswer } from "../../studio/context.js";
import { texts } from "../../texts/texts.js";
import { ProblemBox } from "../../ui/problem.js";
import { Sign } from "../../ui/sign.js";
import { Loaded, Section, SettingGroup } from "../one/group.js";

export function Sandbox() {
  const words = texts.settings.sandbox;
  const next = useNext();
  const project = next.project?.id ?? "";
  const found = useAnswer(
    ["outlook", project],
    ({ http }, signal) =>
      http.get("/api/projects/{project_id}/outlook", { path: { project_id: project }, signal }),
    { enabled: Boolean(project) },
  );
  return (
    <>
      <Section title={words.now}>
        {next.projects.data && !project ? (
          <p className="text-sm text-ink-2">{words.noProject}</p>
        ) : (
          <Loaded of={found}>
            {({ sandbox, modes, rules }) => (
              <>
                <State of={sandbox} />
                <Modes of={modes} />
                <p className="text-xs text-ink-2">{words.rules(rules)}</p>
              </>
            )}
          </Loaded>
        )}
      </Section>
      <SettingGroup names={["mode", "sandbox", "sandbox_read", "network_private"]} />
    </>
  );
}

function State({ of }: { of: Schema<"SandboxShape"> }) {
  const words = texts.settings.sandbox;
  const safe = of.kind !== "none" && of.trusted !== false;
  return (
    <>
      <p className="flex items-center gap-2 rounded-panel border border-line bg-surface p-3 text-sm">
        <Sign of={safe ? "done" : "failed"} quiet />
        <span>
          {words.kinds[of.kind]}
          <span className="block text-xs text-ink-2">
            {of.network ? words.network : words.noNetwork} {of.trusted === null && words.testing}
          </span>
        </span>
      </p>
      {of.problem && <ProblemBox title={of.problem} />}
    </>
  );
}

const LOOKS = { allow: "text-good", ask: "text-care", deny: "text-bad", blocked: "text-bad" };
const DEEDS = ["read", "write", "run", "network"] as const;

function Modes({ of }: { of: Schema<"ModeShape">[] }) {
  const words = texts.settings.sandbox;
  return (
    <div className="overflow-x-auto">
      <table className="w-full text-sm">
        <thead className="text-left text-xs text-ink-3">
          <tr>
            <th className="py-1 pr-3 font-medium">{words.mode}</th>
            {DEEDS.map((deed) => (
              <th key={deed} className="py-1 pr-3 font-medium">
                {words.deeds[deed]}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {of.map(({ mode, may }) => (
            <tr key={mode} className="border-t border-line">
              <th className="py-1 pr-3 text-left font-medium">{mode}</th>
              {DEEDS.map((deed) => {
                const word = may[deed] ?? "ask";
                return (
                  <td key={deed} className={`py-1 pr-3 ${LOOKS[word]}`}>
                    {words.words[word]}
                  </td>
                );
              })}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}
