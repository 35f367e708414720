/** The likely way out of what went wrong: one button. */
import { useLocation } from "wouter";
import type { Exchange } from "../../session/shape.js";
import type { SessionStore } from "../../session/store.js";
import { useSession, useStudio } from "../../studio/context.js";
import type { Studio } from "../../studio/studio.js";
import { texts } from "../../texts/texts.js";
import { sayProblem } from "../../ui/toasts.js";
import { contentOf, wordsOf } from "../exchange/forking.js";

interface Fix {
  label: string;
  run(): void;
}

interface Means {
  studio: Studio;
  store: SessionStore;
  go(path: string): void;
  exchange: Exchange;
}

type Maker = (means: Means) => Fix;
const words = texts.conversation.fixes;

const again: Maker = ({ store, exchange }) => ({
  label: words.retry,
  run: () => void store.prompt(contentOf(exchange.prompt, wordsOf(exchange.prompt))).catch(() => {}),
});
const goOn: Maker = ({ store }) => ({
  label: words.goOn,
  run: () => void store.prompt(words.goOnSays).catch(() => {}),
});
const settings =
  (label: string, part: string): Maker =>
  ({ go }) => ({ label, run: () => go(`/settings/${part}`) });
const compact: Maker = (means) => ({
  label: words.compact,
  run: () =>
    void means.studio.http
      .post("/api/sessions/{session_id}/compact", { path: { session_id: means.store.sessionId } })
      .then(again(means).run)
      .catch(sayProblem),
});
const anew: Maker = ({ studio }) => ({ label: words.anew, run: () => studio.show("") });

/** By the code of an error; where none fits, by how the exchange ended. */
const BY_CODE: Record<string, Maker> = {
  bad_key: settings(words.keys, "keys"),
  no_key: settings(words.keys, "keys"),
  no_credit: settings(words.keys, "keys"),
  misconfigured: settings(words.keys, "keys"),
  unknown_model: settings(words.models, "models"),
  no_tools: settings(words.models, "models"),
  context_overflow: compact,
  context_full: compact,
  workspace_gone: anew,
  cut_off: goOn,
  unfinished: goOn,
  empty_answer: again,
};
const BY_REASON: Record<string, Maker> = {
  user_stopped: goOn,
  resource_limit_exceeded: goOn,
  output_limit_reached: goOn,
  interrupted: goOn,
  task_complete_signal: goOn,
  error: again,
};

/** How to go on after an exchange that did not end well; null: nothing needs mending. */
export function useFix(exchange: Exchange, code = ""): Fix | null {
  const studio = useStudio();
  const store = useSession();
  const [, go] = useLocation();
  const maker =
    BY_CODE[code] ?? (exchange.end && !exchange.end.success ? BY_REASON[exchange.end.reason] : null);
  if (!maker || (maker === again && !exchange.prompt.length)) return null;
  return maker({ studio, store, go, exchange });
}
