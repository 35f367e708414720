/** What is around the composer: a session and what runs in it, or none yet; and who answers there in which mode. */

import { useContext } from "react";
import type { Schema } from "../api/http.js";
import { EMPTY, type Mode, type Queued, type Sending, type Transcript } from "../session/shape.js";
import type { About, SessionStore } from "../session/store.js";
import { useAgents, useModels } from "../studio/answers.js";
import { SessionContext, useStudio } from "../studio/context.js";
import { useKept } from "../studio/kept.js";
import { usePick, useWatch, Watch } from "../studio/watch.js";
import { sayProblem } from "../ui/toasts.js";

const NO_VIEW = new Watch<Transcript>(EMPTY);
const NO_ABOUT = new Watch<About | null>(null);
const NONE_SENT = new Watch<Sending[]>([]);

export interface Run {
  store: SessionStore | null;
  /** Something runs, or is about to. */
  busy: boolean;
  /** It runs on once somebody has answered. */
  waiting: boolean;
  stopping: boolean;
  running: string;
  queue: Queued[];
  sending: Sending[];
}

export function useRun(): Run {
  const store = useContext(SessionContext);
  const view = usePick(store?.view ?? NO_VIEW, ({ status, running, queue, items }) => {
    const last = running ? items.findLast((item) => item.key === running) : undefined;
    return { status, running, queue, stopping: last?.kind === "exchange" && last.phase === "stopping" };
  });
  const sending = useWatch(store?.sending ?? NONE_SENT);
  const { status, ...rest } = view;
  return { store, busy: status !== "idle", waiting: status === "waiting", sending, ...rest };
}

export const MODES: Mode[] = ["plan", "ask", "allow"];
export type Effort = NonNullable<Schema<"WishesShape">["effort"]> | "";
export const EFFORTS: Effort[] = ["", "none", "minimal", "low", "medium", "high", "max"];
interface Choice {
  mode?: Mode;
  model?: string;
  agent?: string;
}

export interface Choices {
  /** As they hold for the next prompt; empty while the server has not said. */
  mode: Mode;
  /** The most that the agent does, whatever the mode; empty: it does what the mode allows. */
  held: Mode | "";
  model: string;
  agent: string;
  /** How hard the model thinks, of every prompt from here; empty: as the agent and the settings say. */
  effort: Effort;
  setEffort(effort: Effort): void;
  /** False: the server would not, and said why. */
  change(choice: Choice): Promise<boolean>;
}

/**
 * In a session a choice changes the session: it holds for what is taken up from then on, in every window. Without one it
 * is a wish for the session that the next prompt begins.
 */
export function useChoices(): Choices {
  const studio = useStudio();
  const store = useContext(SessionContext);
  const wish = useWatch(studio.wish);
  const about = useWatch(store?.about ?? NO_ABOUT);
  const told = usePick(store?.view ?? NO_VIEW, ({ mode, model, agent }) => ({ mode, model, agent }));
  const { agents, mode: usual } = useAgents().data ?? {};
  const models = useModels().data;
  const holds = store
    ? {
        mode: told.mode || about?.mode,
        model: told.model || about?.model,
        agent: told.agent || about?.agent,
      }
    : wish;
  const change = async (choice: Choice) => {
    try {
      if (!store) studio.wish.set({ ...studio.wish.value, ...choice });
      else await store.change(choice);
      return true;
    } catch (error) {
      sayProblem(error);
      return false;
    }
  };
  const [effort, setEffort] = useKept<Effort>("effort", "");
  // A session for which nobody chose one has the mode of the settings, whatever that is just now.
  const mode = known(holds.mode || usual) ?? "ask";
  const slug = holds.agent || agents?.find((each) => each.is_default)?.slug || "";
  const agent = agents?.find((each) => each.slug === slug);
  const most = known(agent?.mode);
  return {
    mode,
    held: most && MODES.indexOf(most) < MODES.indexOf(mode) ? most : "",
    model: holds.model || (store ? "" : agent?.model) || models?.default.model || "",
    agent: slug,
    effort,
    setEffort,
    change,
  };
}

const known = (mode: string | undefined) => MODES.find((each) => each === mode);
