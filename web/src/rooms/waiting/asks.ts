/** All that waits for the person, in every session: asked for again and again, and at once when a tab has news. */

import type { Schema } from "../../api/http.js";
import { oneLine, phrase, text, whose } from "../../prose/phrase.js";
import { useAnswer } from "../../studio/context.js";
import { texts } from "../../texts/texts.js";
import { useHidden } from "../hidden.js";

export type Waiting = Schema<"AskShape">;

export function useAsks() {
  const every = useHidden() ? 15_000 : 5_000;
  return useAnswer(
    ["asks"],
    async (studio, signal) => (await studio.http.get("/api/asks", { signal })).asks,
    {
      every,
      hidden: true,
    },
  );
}

/** What is asked, in a line. */
export function asked({ kind, question, tool_name, input, detail }: Waiting): string {
  const { asks } = texts.rooms;
  // In the server's words where it has some; what an argument is called says nothing of it.
  const command = text(detail, "command");
  if (kind === "tool" && command) return asks.run(oneLine(command));
  if (kind === "tool") {
    const { about } = phrase(tool_name, input);
    return asks.tool(whose(tool_name).replaceAll("_", " "), oneLine(text(detail, "url")) || about);
  }
  if (kind === "plan") return asks.plan;
  return oneLine(question) || asks.other;
}
