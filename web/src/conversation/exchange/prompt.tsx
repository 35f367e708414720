/** What a person said, on a thin rule, and what can be done with it: copy, say it otherwise, go another way from here. */
import { GitFork, Link, Pencil } from "lucide-react";
import { memo, type ReactNode, useState } from "react";
import type { Exchange } from "../../session/shape.js";
import { useSession } from "../../studio/context.js";
import { ago, moment, time } from "../../texts/figures.js";
import { texts } from "../../texts/texts.js";
import { IconButton } from "../../ui/icon-button.js";
import { useMyId } from "../asks/answering.js";
import { CopyButton } from "../copying.js";
import { Words } from "../parts/said.js";
import { useCopyLink } from "../place/links.js";
import { Editor } from "./editor.js";
import { useForking, wordsOf } from "./forking.js";

export const Prompt = memo(function Prompt({ exchange }: { exchange: Exchange }) {
  const words = texts.conversation;
  const [editing, setEditing] = useState(false);
  const { sessionId } = useSession();
  const { fork } = useForking();
  const link = useCopyLink(sessionId);
  const me = useMyId();
  const other = exchange.person && me && exchange.person !== me;
  return (
    // biome-ignore lint/a11y/useSemanticElements: nothing is filled in here, as in a fieldset
    <div
      role="group"
      data-message
      tabIndex={-1}
      aria-label={words.youSaid(time(exchange.at))}
      className="group border-l-2 border-accent pl-3"
    >
      <header className="flex min-h-7 items-center gap-2">
        <h3 className="text-sm font-semibold">{other ? words.somebody : words.you}</h3>
        <time
          className="text-xs text-ink-3"
          dateTime={new Date(exchange.at).toISOString()}
          title={moment(exchange.at)}
        >
          {ago(exchange.at)}
        </time>
        <Actions>
          <CopyButton text={() => wordsOf(exchange.prompt)} label={words.copy} />
          <IconButton label={words.edit} onClick={() => setEditing(true)}>
            <Pencil size={14} aria-hidden />
          </IconButton>
          <IconButton label={words.copyLink} onClick={() => link(exchange.key)}>
            <Link size={14} aria-hidden />
          </IconButton>
          {exchange.end && (
            <IconButton label={words.fork} onClick={() => void fork(exchange.end?.index ?? exchange.index)}>
              <GitFork size={14} aria-hidden />
            </IconButton>
          )}
        </Actions>
      </header>
      {editing ? (
        <Editor exchange={exchange} onClose={() => setEditing(false)} />
      ) : (
        <Words blocks={exchange.prompt} />
      )}
    </div>
  );
});

/** Seen when the message is pointed at or has the focus; always there for the keyboard, and always seen on touch. */
export function Actions({ children }: { children: ReactNode }) {
  return (
    <div
      role="toolbar"
      aria-label={texts.conversation.actions}
      className="ml-auto flex shrink-0 max-mid:-mr-[15px] opacity-0 group-focus-within:opacity-100 group-hover:opacity-100 [@media(hover:none)]:opacity-100"
    >
      {children}
    </div>
  );
}
