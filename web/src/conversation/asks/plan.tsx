/** A plan that was made in plan mode: accepted as it is, accepted with changes, or discarded. Files are as they were. */
import { useState } from "react";
import { text } from "../../prose/phrase.js";
import type { Ask } from "../../session/shape.js";
import { texts } from "../../texts/texts.js";
import { Button } from "../../ui/button.js";
import { useAnswering, useAsked } from "./answering.js";
import { Frame } from "./frame.js";
import { ReplyForm } from "./reply-form.js";

export function PlanAsk({ ask }: { ask: Ask }) {
  const words = texts.conversation.asks.plan;
  const [editing, setEditing] = useState(false);
  const { busy, send } = useAnswering(ask);
  const plan = text(useAsked(ask).data?.input ?? {}, "plan");
  const accept = (mode: "ask" | "allow", note = "") => send({ word: "accept", mode, note });
  const edit = () => plan && setEditing(true);
  const keys: Record<string, () => void> = editing
    ? { escape: () => setEditing(false) }
    : {
        "1": () => accept("ask"),
        "2": () => accept("allow"),
        "3": () => send({ word: "discard" }),
        "4": edit,
        e: edit,
      };
  return (
    <Frame ask={ask} title={words.title} keys={keys}>
      {editing ? (
        <ReplyForm
          label={words.editLabel}
          start={plan}
          send={words.editSend}
          busy={busy === "accept"}
          onSend={(note) => accept("ask", note)}
          also={{
            label: words.editAllow,
            about: words.about.allow,
            onSend: (note) => accept("allow", note),
          }}
          onBack={() => setEditing(false)}
        />
      ) : (
        <div className="flex flex-wrap gap-2">
          <Button kind="main" keys="1" title={words.about.ask} busy={busy === "accept"} onClick={keys["1"]}>
            {words.acceptAsk}
          </Button>
          <Button keys="2" title={words.about.allow} disabled={!!busy} onClick={keys["2"]}>
            {words.acceptAllow}
          </Button>
          <Button kind="quiet" keys="3" busy={busy === "discard"} onClick={keys["3"]}>
            {words.discard}
          </Button>
          <Button kind="quiet" keys="4" disabled={!plan || !!busy} onClick={edit}>
            {words.edit}
          </Button>
        </div>
      )}
    </Frame>
  );
}
