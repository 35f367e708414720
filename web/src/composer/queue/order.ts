/**
 * The prompts that wait, in the order in which they will run.
 *
 * The log tells what waits; that one was moved stands in no log, so the server is asked for the order.
 */
import { useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import type { Queued } from "../../session/shape.js";
import type { Content, SessionStore } from "../../session/store.js";
import { useAnswer } from "../../studio/context.js";

export interface Line {
  queue: Queued[];
  move(messageId: string, place: number): Promise<void>;
  edit(messageId: string, content: Content): Promise<void>;
  /** True: it never runs. */
  remove(messageId: string): Promise<boolean>;
}

/** Where another window may have moved one, nothing tells this one. */
const EVERY = 5_000;

export function useLine(store: SessionStore, queue: Queued[]): Line {
  const queries = useQueryClient();
  const path = { session_id: store.sessionId };
  const ids = queue.map(({ messageId }) => messageId);
  const key = ["prompts", store.sessionId, ids.join()];
  const told = useAnswer(
    key,
    async (studio) => {
      const { prompts } = await studio.http.get("/api/sessions/{session_id}/prompts", { path });
      return prompts.map((prompt) => prompt.message_id);
    },
    { enabled: queue.length > 1, every: EVERY },
  );
  // While a move is on its way, what the person did is what is shown.
  const [meant, setMeant] = useState<string[] | null>(null);
  const order = meant ?? told.data ?? [];
  const place = ({ messageId }: Queued) => {
    const found = order.indexOf(messageId);
    return found < 0 ? order.length : found;
  };
  const sorted = [...queue].sort((a, b) => place(a) - place(b));

  const move = async (message_id: string, to: number) => {
    const names = sorted.map(({ messageId }) => messageId).filter((name) => name !== message_id);
    setMeant([...names.slice(0, to), message_id, ...names.slice(to)]);
    try {
      const { prompts } = await store.client.http.patch("/api/sessions/{session_id}/prompts/{message_id}", {
        path: { ...path, message_id },
        body: { place: to },
      });
      await queries.cancelQueries({ queryKey: key });
      queries.setQueryData(
        key,
        prompts.map((prompt) => prompt.message_id),
      );
    } finally {
      setMeant(null);
    }
  };
  const edit = async (message_id: string, content: Content) => {
    const call = { path: { ...path, message_id }, body: { content } };
    await store.client.http.patch("/api/sessions/{session_id}/prompts/{message_id}", call);
  };
  const remove = async (message_id: string) => {
    const call = { path: { ...path, message_id } };
    const { stopped } = await store.client.http.delete(
      "/api/sessions/{session_id}/prompts/{message_id}",
      call,
    );
    return stopped;
  };
  return { queue: sorted, move, edit, remove };
}
