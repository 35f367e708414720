/** This server: what it is, whether it is well, and where to read on. */
import type { ReactNode } from "react";
import { useAnswer, useStudio } from "../../studio/context.js";
import { useWatch } from "../../studio/watch.js";
import { texts } from "../../texts/texts.js";

export function About() {
  const { about } = texts.settings;
  const studio = useStudio();
  const connection = useWatch(studio.connection);
  const { data: ready } = useAnswer(["readyz"], ({ http }, signal) => http.get("/readyz", { signal }));
  const { data: file } = useAnswer(
    ["openapi"],
    async ({ root }, signal) => {
      const answer = await fetch(`${root}/api/openapi.json`, { signal });
      return (await answer.json()) as { info?: { version?: string } };
    },
    { stale: 3_600_000 },
  );
  return (
    <dl className="grid grid-cols-[auto_1fr] gap-x-6 gap-y-2 text-sm">
      <Line name={about.version}>{file?.info?.version ?? "–"}</Line>
      <Line name={about.address}>{studio.root}</Line>
      <Line name={about.connection}>{about.connections[connection]}</Line>
      <Line name={about.health}>{ready ? (ready.ready ? about.well : ready.reasons.join(", ")) : "–"}</Line>
      <Line name={about.reference}>
        <a
          className="text-accent underline"
          href={`${studio.root}/reference`}
          target="_blank"
          rel="noreferrer"
        >
          {about.routes}
        </a>
      </Line>
    </dl>
  );
}

function Line({ name, children }: { name: string; children: ReactNode }) {
  return (
    <>
      <dt className="text-ink-2">{name}</dt>
      <dd className="break-all">{children}</dd>
    </>
  );
}
