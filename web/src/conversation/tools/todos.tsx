/** A list of things to do as a call wrote it: short, with its ticks. */
import { Check, Circle, CircleDot, CircleSlash } from "lucide-react";
import { type Given, objects, text } from "../../prose/phrase.js";
import { texts } from "../../texts/texts.js";

const SIGNS = {
  pending: [Circle, "text-ink-3"],
  in_progress: [CircleDot, "text-accent"],
  completed: [Check, "text-good"],
  cancelled: [CircleSlash, "text-ink-3"],
} as const;

export function Todos({ given }: { given: Given }) {
  return (
    <ul className="flex flex-col gap-1 text-sm">
      {objects(given, "todos").map((todo, n) => {
        const status = text(todo, "status") || "pending";
        const [Icon, colour] = SIGNS[status as keyof typeof SIGNS] ?? SIGNS.pending;
        const over = status === "completed" || status === "cancelled";
        return (
          <li key={n} className="flex items-start gap-2">
            <Icon size={14} className={`mt-0.5 shrink-0 ${colour}`} aria-hidden />
            <span className="sr-only">{texts.conversation.tools.todo[status] ?? status}</span>
            <span className={over ? "text-ink-2" : ""}>{text(todo, "content")}</span>
          </li>
        );
      })}
    </ul>
  );
}
