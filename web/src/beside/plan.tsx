/** The plan of the session: what the agent wrote down to do, ticked off as it works. */
import { Circle, CircleCheck, CircleDot, CircleSlash } from "lucide-react";
import type { Todo } from "../session/shape.js";
import { useAnswer, useSession, useTranscript } from "../studio/context.js";
import { texts } from "../texts/texts.js";
import { Empty } from "./empty.js";

const SIGNS = {
  pending: [Circle, "text-ink-3"],
  in_progress: [CircleDot, "text-accent"],
  completed: [CircleCheck, "text-good"],
  cancelled: [CircleSlash, "text-ink-3"],
} as const;
type State = keyof typeof SIGNS;

export function Plan() {
  const { sessionId } = useSession();
  const { todos: live } = useTranscript();
  // The list may have been written before what is loaded of the log.
  const { data } = useAnswer(
    ["todos", sessionId],
    ({ http }, signal) =>
      http.get("/api/sessions/{session_id}/todos", { path: { session_id: sessionId }, signal }),
    { enabled: !live.length },
  );
  const todos: Todo[] = live.length ? live : (data?.todos ?? []);
  const { plan } = texts.beside;
  if (!todos.length) return <Empty title={plan.none} hint={plan.noneHint} />;
  const counted = todos.filter(({ status }) => status !== "cancelled");
  const done = counted.filter(({ status }) => status === "completed").length;
  return (
    <div className="min-h-0 flex-1 overflow-y-auto p-3">
      <div className="mb-3 flex items-center gap-3 px-1">
        <progress
          value={done}
          max={Math.max(1, counted.length)}
          aria-label={plan.done(done, counted.length)}
          className="h-1 min-w-0 flex-1 appearance-none overflow-hidden rounded-full bg-sunken [&::-moz-progress-bar]:bg-good [&::-webkit-progress-bar]:bg-sunken [&::-webkit-progress-value]:bg-good"
        />
        <p role="status" className="text-xs text-ink-2 tabular-nums">
          {plan.done(done, counted.length)}
        </p>
      </div>
      <ol aria-label={texts.beside.tabs.plan} className="flex flex-col">
        {todos.map((todo, n) => (
          <Step key={n} todo={todo} />
        ))}
      </ol>
    </div>
  );
}

function Step({ todo }: { todo: Todo }) {
  const { plan } = texts.beside;
  const state: State = todo.status && todo.status in SIGNS ? (todo.status as State) : "pending";
  const [Icon, colour] = SIGNS[state];
  const over = state === "completed" || state === "cancelled";
  return (
    <li
      aria-current={state === "in_progress" ? "step" : undefined}
      className="flex items-start gap-2 rounded-control px-1 py-1.5 text-base aria-[current=step]:bg-sunken"
    >
      <Icon size={16} className={`mt-0.5 shrink-0 ${colour}`} aria-hidden />
      <span className="sr-only">{plan.states[state]}:</span>
      <span
        className={`min-w-0 flex-1 break-words ${over ? "text-ink-3" : ""} ${state === "cancelled" ? "line-through" : ""} ${state === "in_progress" ? "font-medium" : ""}`}
      >
        {todo.content}
      </span>
    </li>
  );
}
