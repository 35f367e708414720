/**
 * Prompts that the server has not taken yet, kept by this browser: a reload, or a server that is gone, loses none.
 *
 * Each leaves when the server has it, or the person lets go of it. Sent twice, by two windows, it is still one prompt.
 */
import type { Schema } from "../api/http.js";
import { keep, kept } from "../studio/kept.js";

export type Content = Schema<"NewPrompt">["content"];
export interface Wishes {
  model?: string;
  agent?: string;
  mode?: string;
  steer?: boolean;
  /** How the model should answer. */
  wishes?: Schema<"WishesShape">;
}
interface Unsent {
  messageId: string;
  content: Content;
  wishes: Wishes;
}

const nameOf = (sessionId: string) => `unsent.${sessionId}`;

export const unsent = {
  of: (sessionId: string): Unsent[] => kept<Unsent[]>(nameOf(sessionId), []),

  add(sessionId: string, prompt: Unsent): void {
    const rest = unsent.of(sessionId).filter((each) => each.messageId !== prompt.messageId);
    keep(nameOf(sessionId), [...rest, prompt]);
  },

  drop(sessionId: string, messageId: string): void {
    const rows = unsent.of(sessionId).filter((each) => each.messageId !== messageId);
    keep(nameOf(sessionId), rows.length ? rows : undefined);
  },
};

export function wordsOf(content: Content): string {
  if (typeof content === "string") return content;
  return content.map((part) => ("text" in part ? part.text : "")).join("");
}
