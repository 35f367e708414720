/** Where one may go: sessions by their titles and by what was said in them, and files of the project. */

import { File, Folder } from "lucide-react";
import { useDeferredValue } from "react";
import { useNext } from "../../studio/answers.js";
import { useAnswer, useStudio } from "../../studio/context.js";
import { useWatch } from "../../studio/watch.js";
import { ago } from "../../texts/figures.js";
import { texts } from "../../texts/texts.js";
import { Sign } from "../../ui/sign.js";
import { useGoing } from "../going.js";
import { Marked, useFound } from "../list/found.js";
import { useRowSign } from "../list/row-sign.js";
import { type SessionRow, useNewest, useSessions } from "../list/sessions.js";
import { type Done, Group, Item } from "./palette-box.js";

/** So many sessions stand there before a word is typed. */
const FEW = 6;
const FILES = 8;

export function Places({ words, done }: { words: string; done: Done }) {
  return (
    <>
      <Sessions words={words} done={done} />
      {words.trim().length > 1 && <Files words={words} done={done} />}
      {words.trim().length > 2 && <Said words={words} done={done} />}
    </>
  );
}

function Sessions({ words, done }: { words: string; done: Done }) {
  const going = useGoing();
  const { rows } = useSessions(false);
  const { data } = useNewest();
  const shown = words ? rows : (data?.sessions ?? []).slice(0, FEW);
  return (
    <Group name={texts.rooms.find.sessions}>
      {shown.map((row) => (
        <Item
          key={row.id}
          value={`session ${row.id}`}
          words={[row.title || texts.rooms.untitled]}
          act={done(() => going.session(row.id))}
          hint={ago(row.updated_at)}
        >
          <State row={row} />
          <span className="truncate">{row.title || texts.rooms.untitled}</span>
        </Item>
      ))}
    </Group>
  );
}

function State({ row }: { row: SessionRow }) {
  const sign = useRowSign(row);
  return sign === "idle" ? null : <Sign of={sign} />;
}

function Said({ words, done }: { words: string; done: Done }) {
  const going = useGoing();
  const { hits } = useFound(words);
  if (!hits.length) return null;
  return (
    <Group name={texts.rooms.find.said}>
      {hits.slice(0, FEW).map((hit) => (
        <Item
          key={`${hit.session_id} ${hit.index}`}
          value={`said ${hit.session_id} ${hit.index}`}
          act={done(() => going.session(hit.session_id, hit.index))}
          hint={ago(hit.at)}
        >
          <span className="max-w-1/2 shrink-0 truncate">{hit.title || texts.rooms.untitled}</span>
          <span className="truncate text-xs text-ink-2">
            <Marked snippet={hit.snippet} />
          </span>
        </Item>
      ))}
    </Group>
  );
}

/** The project of the session that is shown, else of the next one. */
function useProject(): string {
  const studio = useStudio();
  useWatch(studio.tabs);
  const next = useNext().project?.id;
  return studio.active?.store.about.value?.project_id || next || "";
}

function Files({ words, done }: { words: string; done: Done }) {
  const studio = useStudio();
  const project = useProject();
  const sought = useDeferredValue(words.trim());
  const { data } = useAnswer(
    ["find", project, sought],
    ({ http }, signal) =>
      http.get("/api/projects/{project_id}/find", {
        path: { project_id: project },
        query: { q: sought, limit: FILES },
        signal,
      }),
    { enabled: Boolean(project), stale: 10_000 },
  );
  if (!data?.found.length) return null;
  return (
    <Group name={texts.rooms.find.files}>
      {data.found.map(({ path, kind }) => (
        <Item
          key={path}
          value={`file ${path}`}
          act={done(() => {
            if (kind === "file") studio.opened.set({ path });
            else studio.proposed.set({ text: `@${path} `, send: false });
          })}
        >
          {kind === "folder" ? (
            <Folder size={14} aria-hidden className="shrink-0" />
          ) : (
            <File size={14} aria-hidden className="shrink-0" />
          )}
          <span className="truncate font-mono text-xs">{path}</span>
        </Item>
      ))}
    </Group>
  );
}
