/** Answering an ask: the first answer counts. Whoever comes late is told what was answered, and sees it in the card. */

import { useState } from "react";
import { Problem } from "../../api/client.js";
import type { Ask } from "../../session/shape.js";
import type { Word } from "../../session/store.js";
import { useMe } from "../../studio/answers.js";
import { useAnswer, useSession, useStudio } from "../../studio/context.js";
import { texts } from "../../texts/texts.js";
import { say, sayProblem } from "../../ui/toasts.js";

type Reply = Pick<Word, "word"> & {
  note?: string;
  input?: Record<string, unknown>;
  grant?: string;
  mode?: "ask" | "allow" | "plan";
};

interface Answering {
  /** The answer that is on its way; empty: none. */
  busy: string;
  send(reply: Reply): void;
}

export function useAnswering(ask: Ask): Answering {
  const studio = useStudio();
  const store = useSession();
  const [busy, setBusy] = useState("");
  const send = async (reply: Reply) => {
    if (busy) return;
    setBusy(reply.word);
    try {
      await store.answer({ ask_id: ask.id, hash: ask.hash, ...reply } as Word);
    } catch (error) {
      setBusy("");
      if (!(error instanceof Problem) || error.code !== "conflict") return sayProblem(error);
      const now = await studio.http.get("/api/asks/{ask_id}", { path: { ask_id: ask.id } }).catch(() => null);
      say(told(now?.answer ?? null, now !== null), { bad: true });
    }
  };
  return { busy, send: (reply) => void send(reply) };
}

function told(answer: string | null, known: boolean): string {
  const words = texts.conversation.asks;
  if (!known) return words.lateUnknown;
  return answer === null ? words.stale : words.late(words.answers[answer] ?? answer);
}

/** What is asked, with the arguments that are decided on. */
export function useAsked(ask: Ask) {
  return useAnswer(
    ["asks", ask.id],
    (studio, signal) => studio.http.get("/api/asks/{ask_id}", { path: { ask_id: ask.id }, signal }),
    { stale: Number.POSITIVE_INFINITY },
  );
}

/** The id of who is signed in. */
export const useMyId = () => useMe().data?.id ?? "";
