/** Keys of providers: those that are kept, those that the environment holds, and one more. */
import { useAnswer } from "../../studio/context.js";
import { texts } from "../../texts/texts.js";
import { Sign } from "../../ui/sign.js";
import { Loaded, Section } from "../one/group.js";
import { AddKey } from "./add-key.js";
import { KeyRow } from "./key-row.js";

function useKeys() {
  return useAnswer(["keys"], ({ http }, signal) => http.get("/api/keys", { signal }));
}

export function Keys() {
  const { settings } = texts;
  return (
    <>
      <Section title={settings.keys.add}>
        <AddKey />
      </Section>
      <Section title={settings.keys.yours}>
        <Loaded of={useKeys()}>
          {({ keys }) =>
            keys.length ? (
              <ul className="rounded-panel border border-line bg-surface">
                {keys.map((key) => (
                  <KeyRow key={key.name} of={key} />
                ))}
              </ul>
            ) : (
              <p className="text-sm text-ink-2">{settings.keys.none}</p>
            )
          }
        </Loaded>
      </Section>
      <Section title={settings.keys.here} about={settings.keys.hereAbout}>
        <Servers />
      </Section>
    </>
  );
}

function Servers() {
  const found = useAnswer(["discovery"], ({ http }, signal) => http.get("/api/discovery", { signal }), {
    stale: 15_000,
  });
  return (
    <Loaded of={found}>
      {({ servers }) => (
        <ul className="rounded-panel border border-line bg-surface">
          {servers.map((server) => (
            <li
              key={server.name}
              className="flex flex-col gap-0.5 border-b border-line px-3 py-2 text-sm last:border-0"
            >
              <p className="flex items-center gap-2">
                <Sign of={server.state === "answers" ? "done" : "idle"} quiet />
                <span className="font-medium">{server.title}</span>
                <code className="font-mono text-xs text-ink-3">{server.address}</code>
                <span className="ml-auto text-xs text-ink-2">{server.state}</span>
              </p>
              {server.use && <p className="pl-5.5 text-xs text-ink-2">{server.use}</p>}
            </li>
          ))}
        </ul>
      )}
    </Loaded>
  );
}
