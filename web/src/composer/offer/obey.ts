/** Does what a command says, and tells what came of it. */
import { useContext } from "react";
import type { SessionStore } from "../../session/store.js";
import { SessionContext, useStudio } from "../../studio/context.js";
import type { Studio } from "../../studio/studio.js";
import { texts } from "../../texts/texts.js";
import { say, sayProblem } from "../../ui/toasts.js";
import { type Choices, MODES } from "../around.js";
import { IN_SESSION, nearest, type Slash } from "./slash.js";

export interface Desk {
  choices: Choices;
  /** Open a picker. */
  open(what: "model" | "agent"): void;
  /** List the commands. */
  help(): void;
  /** Ask whether it is meant. */
  clear(): void;
}

/** True: it is done with, and need not stand in the box any more. */
export type Obey = (slash: Slash) => Promise<boolean>;

export function useObey(desk: Desk): Obey {
  const studio = useStudio();
  const store = useContext(SessionContext);
  return async ({ name, argument, typed }) => {
    const { composer } = texts;
    if (!name) {
      say(composer.unknown(typed, nearest(typed)), { bad: true });
      return false;
    }
    try {
      if (!IN_SESSION.has(name)) return await choose(name, argument, desk, studio);
      if (store) return await turn(name, argument, desk, studio, store);
      say(composer.needsSession(name), { bad: true });
    } catch (error) {
      sayProblem(error);
    }
    return false;
  };
}

async function choose(name: string, argument: string, desk: Desk, studio: Studio): Promise<boolean> {
  const { done } = texts.composer;
  switch (name) {
    case "help":
      desk.help();
      return false;
    case "new":
      studio.show("");
      return true;
    case "mode":
    case "plan": {
      const wanted = name === "plan" ? "plan" : argument.toLowerCase();
      const mode = MODES.find((each) => each === wanted);
      if (!mode && wanted) say(done.badMode(wanted), { bad: true });
      if (mode ? !(await desk.choices.change({ mode })) : wanted) return false;
      say(told(mode ?? desk.choices.mode));
      return true;
    }
    default: {
      const what = name as "model" | "agent";
      if (!argument) desk.open(what);
      else if (await desk.choices.change({ [what]: argument })) say(done[what](argument));
      else return false;
      return true;
    }
  }
}

const told = (mode: string) => `${texts.composer.modes[mode]}: ${texts.composer.modeAbout[mode]}`;

async function turn(
  name: string,
  argument: string,
  desk: Desk,
  studio: Studio,
  store: SessionStore,
): Promise<boolean> {
  const { done } = texts.composer;
  const path = { session_id: store.sessionId };
  switch (name) {
    case "compact":
      return compact(argument, store);
    case "reset": {
      const { changed } = await store.client.http.post("/api/sessions/{session_id}/reset", { path });
      say(changed ? done.reset : done.nothingToReset);
      return true;
    }
    case "clear":
      desk.clear();
      return true;
    case "fork": {
      const made = await store.client.http.post("/api/sessions/{session_id}/fork", { path, body: {} });
      await studio.openSession(made.id);
      say(done.forked);
      return true;
    }
    case "rename":
      if (!argument) say(done.renameUsage, { bad: true });
      else {
        await store.change({ title: argument.slice(0, 200) });
        say(done.renamed(argument.slice(0, 200)));
      }
      return Boolean(argument);
    default:
      return save(argument || "md", studio, store);
  }
}

async function compact(argument: string, store: SessionStore): Promise<boolean> {
  const { done } = texts.composer;
  const path = { session_id: store.sessionId };
  if (argument === "undo") {
    const { compaction } = await store.client.http.post("/api/sessions/{session_id}/undo-compaction", {
      path,
      body: {},
    });
    say(compaction ? done.compactUndone : done.nothingToUndo);
  } else if (argument) say(done.compactUsage, { bad: true });
  else {
    say(done.compacting);
    const { changed } = await store.client.http.post("/api/sessions/{session_id}/compact", { path });
    say(changed === null ? done.compactLater : changed ? done.compacted : done.nothingToCompact);
  }
  return !argument || argument === "undo";
}

const FORMATS = ["md", "html", "chat", "jsonl"];

/** A file of what was said, saved as the browser saves files. */
function save(format: string, studio: Studio, store: SessionStore): boolean {
  if (!FORMATS.includes(format)) {
    say(texts.composer.done.badFormat(format), { bad: true });
    return false;
  }
  const link = document.createElement("a");
  link.href = `${studio.root}/api/sessions/${encodeURIComponent(store.sessionId)}/export?format=${format}`;
  link.download = "";
  link.click();
  return true;
}
