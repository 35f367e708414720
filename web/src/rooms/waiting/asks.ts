/** All that waits for the person, in every session: asked for again and again, and at once when a tab has news. */

import type { Schema } from "../../api/http.js";
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
export function asked({ kind, question, tool_name, input }: Waiting): string {
  const { asks } = texts.rooms;
  const named = (...keys: string[]) => keys.map((key) => input[key]).find((each) => typeof each === "string");
  const [command, target] = [named("command"), named("file_path", "path", "url")];
  if (kind === "tool" && typeof command === "string") return asks.run(command);
  if (kind === "tool")
    return asks.tool(tool_name.replaceAll("_", " "), typeof target === "string" ? target : "");
  if (kind === "plan") return asks.plan;
  return question || asks.other;
}
