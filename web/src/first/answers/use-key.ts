/**
 * A key on its way in: whose it looks like, whether its provider takes it, kept once it does. Nothing is sent to a
 * provider before somebody says whose key it is, and a key that is not taken is not kept.
 */
import { useQueryClient } from "@tanstack/react-query";
import { useCallback, useEffect, useRef, useState } from "react";
import { Problem } from "../../api/client.js";
import type { Schema } from "../../api/http.js";
import { useStudio } from "../../studio/context.js";
import { GUIDE } from "../asked.js";

type Whose = Schema<"Whose">;
type Offered = Schema<"Offered">;
export type KeyState =
  | { at: "writing" }
  | { at: "testing"; since: number }
  | { at: "refused"; code: string; problem: string; hint: string }
  | { at: "taken"; models: number; suggested: Offered | null; uses: string }
  | { at: "untested" };

const PAUSE = 250;
/** Shorter than any key. */
const SHORTEST = 4;

export function useKey() {
  const studio = useStudio();
  const queries = useQueryClient();
  const [key, setKey] = useState("");
  const [whose, setWhose] = useState<Whose | null>(null);
  const [provider, setProvider] = useState("");
  const [state, setState] = useState<KeyState>({ at: "writing" });
  const asking = useRef<AbortController>(undefined);

  const write = useCallback((next: string) => {
    asking.current?.abort();
    setKey(next);
    setState({ at: "writing" });
  }, []);
  useEffect(() => {
    if (key.trim().length < SHORTEST) {
      setWhose(null);
      return;
    }
    const stop = new AbortController();
    const timer = setTimeout(() => {
      studio.http.post("/api/keys/whose", { body: { key }, signal: stop.signal }).then(
        (found) => {
          setWhose(found);
          setProvider((was) => likeliest(was, found));
        },
        () => {},
      );
    }, PAUSE);
    return () => {
      clearTimeout(timer);
      stop.abort();
    };
  }, [key, studio]);
  useEffect(() => () => asking.current?.abort(), []);

  const renew = async () => {
    await Promise.all(
      ["models", "keys", "settings", "discovery"].map((each) =>
        queries.invalidateQueries({ queryKey: [each] }),
      ),
    );
  };
  const keep = async () => {
    await studio.http.put("/api/keys/{name}", { path: { name: provider }, body: { key } });
    const models = await studio.http.get("/api/models");
    return models.default.model;
  };
  const test = async () => {
    const stop = new AbortController();
    asking.current = stop;
    setState({ at: "testing", since: Date.now() });
    try {
      const found = await studio.http.post("/api/keys/{name}/test", {
        path: { name: provider },
        body: { key },
        signal: stop.signal,
      });
      if (!found.takes) {
        setState(refused(new Problem(0, found.code ?? "", found.problem ?? "", found.hint)));
        return;
      }
      let uses = await keep();
      if (uses === GUIDE && found.suggested) {
        await studio.http.patch("/api/settings", { body: { model: found.suggested.name } });
        uses = found.suggested.name;
      }
      setKey("");
      setState({ at: "taken", models: found.models ?? 0, suggested: found.suggested ?? null, uses });
    } catch (error) {
      if (stop.signal.aborted) return;
      setState(refused(error));
    }
  };
  const keepAnyway = async () => {
    try {
      await keep();
      setKey("");
      setState({ at: "untested" });
    } catch (error) {
      setState(refused(error));
    }
  };
  const cancel = () => {
    asking.current?.abort();
    setState({ at: "writing" });
  };
  return { key, write, whose, provider, setProvider, state, test, keepAnyway, cancel, renew };
}

/** The only one that it fits. What was chosen stays where it may be right: no key goes to somebody else by mistake. */
function likeliest(was: string, { fits }: Whose): string {
  if (fits.length === 1) return fits[0] ?? "";
  return fits.length === 0 || fits.includes(was) ? was : "";
}

function refused(error: unknown): KeyState {
  const told = error instanceof Problem ? error : new Problem(0, "problem", String(error));
  return { at: "refused", code: told.code, problem: told.detail, hint: told.hint };
}
