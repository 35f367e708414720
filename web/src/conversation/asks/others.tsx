/** What else somebody is asked: a question, whether to go past a limit or on after a break, a tool of another program. */

import { whose } from "../../prose/phrase.js";
import { Plainly } from "../../prose/plainly.js";
import type { Ask } from "../../session/shape.js";
import { money, number } from "../../texts/figures.js";
import { texts } from "../../texts/texts.js";
import { Button } from "../../ui/button.js";
import { useAnswering } from "./answering.js";
import { useArguments } from "./asked.js";
import { Frame } from "./frame.js";
import { ReplyForm } from "./reply-form.js";
import { Notes, Rows, Subject } from "./subject.js";

export function QuestionAsk({ ask }: { ask: Ask }) {
  const words = texts.conversation.asks;
  const { busy, send } = useAnswering(ask);
  const stop = () => send({ word: "stop" });
  const keys: Record<string, () => void> = { s: stop, escape: stop };
  for (const [n, choice] of ask.choices.slice(0, 9).entries())
    keys[String(n + 1)] = () => send({ word: "answer", note: choice });
  return (
    <Frame ask={ask} title={words.question.title} keys={keys}>
      <p className="own-box text-base whitespace-pre-wrap [&_bdi]:font-sans">
        <Plainly text={ask.question} inline />
      </p>
      {ask.choices.length > 0 && (
        <div className="flex flex-wrap gap-2">
          {ask.choices.map((choice, n) => (
            <Button
              key={choice}
              keys={n < 9 ? String(n + 1) : ""}
              disabled={!!busy}
              onClick={() => send({ word: "answer", note: choice })}
              className="own-box h-auto! min-h-8 min-w-0 shrink! py-1 text-left break-words whitespace-normal!"
            >
              <span className="min-w-0 [&_bdi]:font-sans">
                <Plainly text={choice} inline />
              </span>
            </Button>
          ))}
        </div>
      )}
      <ReplyForm
        label={words.question.own}
        short
        quiet={ask.choices.length > 0 || "first"}
        send={words.question.send}
        kind={ask.choices.length ? "plain" : "main"}
        busy={busy === "answer"}
        check={(said) => (said.trim() ? "" : words.question.empty)}
        onSend={(note) => send({ word: "answer", note })}
        more={<Stop busy={busy} onStop={stop} />}
      />
    </Frame>
  );
}

function Stop({ busy, onStop, label }: { busy: string; onStop(): void; label?: string }) {
  return (
    <Button kind="quiet" keys="Esc" busy={busy === "stop"} onClick={onStop}>
      {label ?? texts.conversation.asks.stop}
    </Button>
  );
}

export function LimitAsk({ ask }: { ask: Ask }) {
  const words = texts.conversation.asks.limit;
  const { busy, send } = useAnswering(ask);
  const { limit = "", from, to, window = "" } = ask.detail as Record<string, string | number | undefined>;
  const amount = (n: unknown) =>
    limit === "cost"
      ? money(Number(n))
      : (words.units[String(limit)]?.(number(Number(n))) ?? number(Number(n)));
  const raise = () => send({ word: "raise" });
  const stop = () => send({ word: "stop" });
  return (
    <Frame ask={ask} title={words.title} keys={{ "1": raise, s: stop, escape: stop }}>
      <p className="own-box whitespace-pre-wrap [&_bdi]:font-sans">
        <Plainly text={ask.question} inline />
      </p>
      <Rows
        rows={[
          ...(from === undefined ? [] : [[words.from, amount(from)] as [string, string]]),
          ...(to === undefined ? [] : [[words.to, amount(to)] as [string, string]]),
          ...(window ? [["", words.window(String(window))] as [string, string]] : []),
        ]}
      />
      <div className="flex flex-wrap gap-2">
        <Button kind="main" keys="1" busy={busy === "raise"} onClick={raise}>
          {words.raise(amount(to))}
        </Button>
        <Stop busy={busy} onStop={stop} label={words.stop} />
      </div>
    </Frame>
  );
}

export function ResumeAsk({ ask }: { ask: Ask }) {
  const words = texts.conversation.asks.resume;
  const { busy, send } = useAnswering(ask);
  const goOn = () => send({ word: "continue" });
  const stop = () => send({ word: "stop" });
  return (
    <Frame ask={ask} title={words.title} keys={{ "1": goOn, s: stop, escape: stop }}>
      <Rows rows={spends(ask)} />
      <div className="flex flex-wrap gap-2">
        <Button kind="main" keys="1" busy={busy === "continue"} onClick={goOn}>
          {words.goOn}
        </Button>
        <Stop busy={busy} onStop={stop} />
      </div>
    </Frame>
  );
}

/** What was under way, and what going on would spend. */
function spends(ask: Ask): [string, string][] {
  const words = texts.conversation.asks.resume;
  const detail = ask.detail as {
    under_way?: string;
    calls?: { name: string; began: boolean }[];
    tokens?: number;
    again?: boolean;
    written?: number;
    cost?: number | null;
  };
  const { tokens = 0, again = false, written = 0, cost } = detail;
  const sends = tokens
    ? [(again ? words.again : words.tokens)(number(tokens)), written ? words.anew(number(written)) : ""]
    : [words.nothing];
  const calls = (detail.calls ?? []).map(({ name, began }) =>
    began ? words.began(name) : words.notBegun(name),
  );
  const rows: [string, string][] = [
    [words.underWay, detail.under_way ?? ask.question],
    [words.calls, calls.join(", ")],
    [words.sends, sends.filter(Boolean).join(" ")],
    [words.cost, tokens ? (cost === null || cost === undefined ? words.noPrice : money(cost)) : ""],
  ];
  return rows.filter(([, value]) => value);
}

export function ClientAsk({ ask }: { ask: Ask }) {
  const words = texts.conversation.asks.client;
  const { busy, send } = useAnswering(ask);
  const { asked, failed } = useArguments(ask);
  const stop = () => send({ word: "stop" });
  return (
    <Frame ask={ask} title={words.title(whose(ask.toolName))} keys={{ s: stop, escape: stop }}>
      <p className="text-ink-2">{words.about}</p>
      {asked ? (
        <>
          <Subject ask={ask} asked={asked} />
          <Notes ask={ask} asked={asked} />
        </>
      ) : (
        <p className="text-ink-2">{texts.conversation.asks[failed ? "missing" : "loading"]}</p>
      )}
      <ReplyForm
        label={words.label}
        quiet
        send={words.send}
        busy={busy === "result"}
        onSend={(result) => send({ word: "result", input: { result } })}
        more={<Stop busy={busy} onStop={stop} />}
      />
    </Frame>
  );
}
