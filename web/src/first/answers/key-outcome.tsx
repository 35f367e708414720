/** What came of a key: asked, refused with the way out, or taken, with the model that answers and its price. */
import { Check, LoaderCircle } from "lucide-react";
import { useEffect, useState } from "react";
import { texts } from "../../texts/texts.js";
import { Button } from "../../ui/button.js";
import { ProblemBox } from "../../ui/problem.js";
import { priceOf } from "./price.js";
import type { KeyState } from "./use-key.js";

interface Props {
  state: KeyState;
  provider: string;
  onCancel(): void;
  onKeep(): void;
  onAnother(): void;
  /** The page may go on with it. */
  onDone(): void;
}

export function KeyOutcome({ state, provider, onCancel, onKeep, onAnother, onDone }: Props) {
  const { first } = texts;
  switch (state.at) {
    case "writing":
      return null;
    case "testing":
      return <Testing provider={provider} since={state.since} onCancel={onCancel} />;
    case "refused": {
      const said = first.problems[state.code as keyof typeof first.problems] ?? first.problems.other;
      return (
        <div className="flex flex-col gap-2">
          <ProblemBox title={said(provider)} detail={`${state.problem} ${state.hint}`.trim()} />
          {state.code !== "bad_key" && (
            <div>
              <Button onClick={onKeep}>{first.keepAnyway}</Button>
            </div>
          )}
        </div>
      );
    }
    case "untested":
      return <Done text={first.keptUntested(provider)} onAnother={onAnother} onDone={onDone} />;
    case "taken": {
      const { suggested, uses } = state;
      const begins =
        suggested && uses === suggested.name
          ? `${first.begins(uses)}: ${priceOf(suggested)}.`
          : first.stillUses(uses);
      return (
        <Done
          text={first.takes(provider, state.models)}
          more={begins}
          onAnother={onAnother}
          onDone={onDone}
        />
      );
    }
  }
}

function Testing({ provider, since, onCancel }: { provider: string; since: number; onCancel(): void }) {
  const [now, setNow] = useState(since);
  useEffect(() => {
    const timer = setInterval(() => setNow(Date.now()), 500);
    return () => clearInterval(timer);
  }, []);
  return (
    <p className="flex items-center gap-2 text-sm text-ink-2">
      <LoaderCircle size={14} aria-hidden className="text-accent motion-safe:animate-spin" />
      {texts.first.testing(provider, Math.round((now - since) / 1000))}
      <Button small kind="quiet" onClick={onCancel}>
        {texts.first.cancel}
      </Button>
    </p>
  );
}

function Done({
  text,
  more,
  onAnother,
  onDone,
}: {
  text: string;
  more?: string;
  onAnother(): void;
  onDone(): void;
}) {
  return (
    <div className="flex flex-col gap-2 text-sm">
      <p className="flex items-start gap-2 font-medium">
        <Check size={16} aria-hidden className="mt-0.5 shrink-0 text-good" />
        {text}
      </p>
      {more && <p className="pl-6 text-ink-2">{more}</p>}
      <div className="flex flex-wrap gap-2 pl-6">
        <Button kind="main" onClick={onDone}>
          {texts.first.go}
        </Button>
        <Button kind="quiet" onClick={onAnother}>
          {texts.first.anotherKey}
        </Button>
      </div>
    </div>
  );
}
