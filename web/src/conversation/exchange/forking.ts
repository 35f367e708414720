/** Going another way from an earlier place: a fork is a new session that begins as this one was there. */
import type { Schema } from "../../api/http.js";
import type { Block } from "../../session/shape.js";
import type { Content } from "../../session/store.js";
import { useSession, useStudio } from "../../studio/context.js";
import type { Tab } from "../../studio/studio.js";
import { texts } from "../../texts/texts.js";
import { say, sayProblem } from "../../ui/toasts.js";

interface Forking {
  /** Open a fork as the session was after this index; false: it could not be made. */
  fork(index: number): Promise<Tab | null>;
  /** Ask something else in a fork that begins before these words. */
  resend(before: number, content: Content): Promise<boolean>;
}

export function useForking(): Forking {
  const studio = useStudio();
  const store = useSession();
  const fork = async (index: number) => {
    try {
      const made = await studio.http.post("/api/sessions/{session_id}/fork", {
        path: { session_id: store.sessionId },
        body: { index },
      });
      const tab = await studio.openSession(made.id);
      say(texts.conversation.forked);
      return tab;
    } catch (error) {
      sayProblem(error);
      return null;
    }
  };
  const resend = async (before: number, content: Content) => {
    const tab = await fork(before);
    // What could not be sent says so in the fork itself.
    await tab?.store.prompt(content).catch(() => {});
    return tab !== null;
  };
  return { fork, resend };
}

/** A prompt's blocks as they are sent, with other words; what is kept elsewhere cannot be sent again from here. */
export function contentOf(prompt: Block[], words: string): Content {
  const media = prompt.flatMap((block) =>
    (block.type === "image" || block.type === "audio" || block.type === "document") && block.data
      ? [{ type: block.type, media_type: block.media_type, data: block.data, name: block.name ?? "" }]
      : [],
  );
  if (!media.length) return words;
  return [{ type: "text", text: words }, ...media] as Schema<"NewPrompt">["content"];
}

export function wordsOf(blocks: Block[]): string {
  return blocks.map((block) => (block.type === "text" && !block.aside ? block.text : "")).join("");
}
