/** May this call run? Once, from now on, not, otherwise, or stop altogether: one key each. */
import { useCallback, useState } from "react";
import { JsonText } from "../../api/json-text.js";
import { CutContext } from "../../prose/cut.js";
import { type Given, isObject, text, whose } from "../../prose/phrase.js";
import { Plainly } from "../../prose/plainly.js";
import type { Ask } from "../../session/shape.js";
import { texts } from "../../texts/texts.js";
import { Button } from "../../ui/button.js";
import { useAnswering } from "./answering.js";
import { type Asked, useArguments } from "./asked.js";
import { Frame } from "./frame.js";
import { ReplyForm } from "./reply-form.js";
import { Notes, Subject } from "./subject.js";

type Step = "decide" | "always" | "deny" | "edit";

export function CallAsk({ ask }: { ask: Ask }) {
  const words = texts.conversation.asks;
  const [step, setStep] = useState<Step>("decide");
  const { busy, send } = useAnswering(ask);
  const { asked, failed } = useArguments(ask);
  const offers = offersOf(ask);
  const [cuts, setCuts] = useState(0);
  const count = useCallback((change: number) => setCuts((cuts) => cuts + change), []);
  // Nothing is allowed before all of it is there to be read.
  const able = asked !== null && !cuts;
  const back = () => setStep("decide");
  const keys: Record<string, () => void> = {
    s: () => send({ word: "stop" }),
    escape: () => (step === "decide" ? send({ word: "stop" }) : back()),
  };
  if (step === "decide") {
    if (able) keys["1"] = () => send({ word: "allow_once" });
    if (able && offers.length) keys["2"] = () => setStep("always");
    keys["3"] = () => setStep("deny");
    if (asked) keys["4"] = keys.e = () => setStep("edit");
  } else if (step === "always") {
    for (const [n, grant] of offers.slice(0, 9).entries())
      keys[String(n + 1)] = () => send({ word: "allow_all", grant });
  }
  return (
    <Frame ask={ask} title={titleOf(ask)} keys={keys} turned={step === "always"}>
      {asked ? (
        <CutContext value={count}>
          <Subject ask={ask} asked={asked} />
          <Notes ask={ask} asked={asked} />
        </CutContext>
      ) : (
        <p className="text-ink-2">{failed ? words.missing : words.loading}</p>
      )}
      {cuts > 0 && <p className="text-ink-2">{words.cut}</p>}
      {step === "decide" && (
        <div className="flex flex-wrap gap-2">
          <Button kind="main" keys="1" disabled={!able} busy={busy === "allow_once"} onClick={keys["1"]}>
            {words.allow}
          </Button>
          {offers.length > 0 && (
            <Button keys="2" disabled={!able || !!busy} onClick={() => setStep("always")}>
              {words.always}
            </Button>
          )}
          <Button keys="3" disabled={!!busy} onClick={() => setStep("deny")}>
            {words.deny}
          </Button>
          <Button keys="4" disabled={!asked || !!busy} onClick={() => setStep("edit")}>
            {words.edit}
          </Button>
          <Button kind="quiet" keys="Esc" busy={busy === "stop"} onClick={keys.s}>
            {words.stop}
          </Button>
        </div>
      )}
      {step === "always" && (
        <Always
          offers={offers}
          busy={busy}
          onChoose={(grant) => send({ word: "allow_all", grant })}
          onBack={back}
        />
      )}
      {step === "deny" && (
        <ReplyForm
          label={words.denyWord}
          short
          send={words.denySend}
          kind="danger"
          busy={busy === "deny"}
          onSend={(note) => send({ word: "deny", note })}
          onBack={back}
        />
      )}
      {step === "edit" && asked && (
        <Edit
          asked={asked}
          busy={busy === "edit"}
          onSend={(input) => send({ word: "edit", input })}
          onBack={back}
        />
      )}
    </Frame>
  );
}

function titleOf(ask: Ask): string {
  const words = texts.conversation.asks;
  const known = words.titles[ask.toolName];
  if (known) return known;
  const [kind, server, ...tool] = ask.toolName.split("__");
  return kind === "mcp" && server ? words.titleOf(tool.join("__"), server) : words.title(whose(ask.toolName));
}

/** What may be allowed beyond this call; where nobody said, the tool. */
function offersOf(ask: Ask): string[] {
  const { offers } = ask.detail;
  if (!Array.isArray(offers)) return ask.toolName ? [ask.toolName] : [];
  return offers.filter((offer): offer is string => typeof offer === "string");
}

interface AlwaysProps {
  offers: string[];
  busy: string;
  onChoose(grant: string): void;
  onBack(): void;
}

function Always({ offers, busy, onChoose, onBack }: AlwaysProps) {
  const words = texts.conversation.asks;
  return (
    <fieldset className="flex flex-col gap-2">
      <legend className="mb-2 text-xs font-medium text-ink-2">{words.alwaysTitle}</legend>
      {offers.map((grant, n) => (
        <Button
          key={grant}
          keys={n < 9 ? String(n + 1) : ""}
          disabled={!!busy}
          onClick={() => onChoose(grant)}
          className="own-box h-auto! min-h-8 shrink! justify-between! py-1 text-left whitespace-normal!"
        >
          <span className="flex min-w-0 flex-col">
            <span className="[&_bdi]:font-sans">
              <Plainly text={told(grant)} inline />
            </span>
            <code className="text-xs font-normal text-ink-2">
              <Plainly text={grant} inline />
            </code>
          </span>
        </Button>
      ))}
      <div>
        <Button kind="quiet" onClick={onBack}>
          {words.back}
        </Button>
      </div>
    </fieldset>
  );
}

/** A grant in words. */
function told(grant: string): string {
  const words = texts.conversation.asks;
  const [, tool = grant, network, folder, pattern] =
    /^([^\s()+@]+)(\+network)?(?:@([^\s()@]+))?(?:\((.+)\))?$/s.exec(grant) ?? [];
  const what = pattern ?? words.alwaysTool(whose(tool));
  const where = folder ? words.alwaysIn(decodeURIComponent(folder)) : words.alwaysHere;
  const here = pattern && tool === "bash_exec" ? `${what}, ${where}` : what;
  return network ? `${here}, ${words.alwaysNetwork}` : here;
}

interface EditProps {
  asked: Asked;
  busy: boolean;
  onSend(input: Given): void;
  onBack(): void;
}

/** A command is edited as a command, anything else as JSON, which is sent as it is written. */
function Edit({ asked, busy, onSend, onBack }: EditProps) {
  const words = texts.conversation.asks;
  const command = asked.exact && text(asked.input, "command");
  return (
    <ReplyForm
      label={command ? words.editCommand : words.editLabel}
      start={command || asked.json}
      mono
      send={words.editSend}
      busy={busy}
      check={(said) => (command || isObject(parsed(said)) ? "" : words.editWrong)}
      onSend={(said) => onSend(command ? { ...asked.input, command: said } : new JsonText(said).asObject)}
      onBack={onBack}
    />
  );
}

function parsed(said: string): unknown {
  try {
    return JSON.parse(said);
  } catch {
    return undefined;
  }
}
