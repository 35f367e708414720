/** What is decided on, whole: the diff, the command or the address with nothing hidden in it, as the server tells them, else
 * (or of a file of which the diff tells no line) all arguments; then why it is asked, where it would run and with what rights. Of the arguments themselves none stands
 * for the others: what one of them is called means nothing in a tool that is not known here. */
import { Fragment, type ReactNode } from "react";
import { parseDiff } from "../../prose/diff/parse.js";
import { Diff } from "../../prose/diff.js";
import { type Given, pathOf, text } from "../../prose/phrase.js";
import { Plainly } from "../../prose/plainly.js";
import { Scrolls } from "../../prose/scrolls.js";
import type { Ask } from "../../session/shape.js";
import { useSession } from "../../studio/context.js";
import { useWatch } from "../../studio/watch.js";
import { texts } from "../../texts/texts.js";
import type { Asked } from "./asked.js";

export function Subject({ ask, asked }: { ask: Ask; asked: Asked }) {
  const diff = text(ask.detail, "diff");
  const said = diff ? untold(diff) && asked.json : text(ask.detail, "command", "url") || asked.json;
  return (
    <>
      {diff && (
        <Scrolls as="div" label={texts.conversation.asks.subject} className="max-h-[50vh] overflow-auto">
          <Diff diff={diff} path={pathOf(asked.input)} />
        </Scrolls>
      )}
      {said && (
        <Scrolls
          as="div"
          label={texts.conversation.asks.subject}
          className="max-h-[50vh] overflow-auto rounded-control bg-sunken px-3 py-2"
        >
          <Plainly text={said} />
        </Scrolls>
      )}
    </>
  );
}

/** There is a file of which a diff tells no line. */
const untold = (diff: string) => {
  const files = parseDiff(diff);
  return !files.length || files.some(({ hunks }) => !hunks.length);
};

export function Notes({ ask, asked }: { ask: Ask; asked: Asked }) {
  const words = texts.conversation.asks;
  const about = useWatch(useSession().about);
  const { detail } = ask;
  const command = text(detail, "command");
  const sandbox = text(detail, "sandbox");
  const bare = sandbox.toLowerCase().startsWith("not sandboxed");
  const folder = text(detail, "folder") || (command && text(asked.input, "folder"));
  const extra = beside(
    ask,
    { command, url: text(detail, "url"), network: Boolean(detail.network), folder },
    asked,
  );
  const rows: [string, ReactNode][] = [];
  if (detail.reason) rows.push([words.why, said(text(detail, "reason"))]);
  if (command) rows.push([words.where, said(folder && folder !== "." ? folder : (about?.folder ?? ""))]);
  if (extra) rows.push([words.with, <Plainly key="w" text={extra} inline />]);
  if (detail.network)
    rows.push([
      words.network,
      <b key="n" className="font-semibold text-care">
        {words.networkOn}
      </b>,
    ]);
  else if (command) rows.push([words.network, words.networkOff]);
  if (sandbox)
    rows.push([
      words.sandbox,
      bare ? (
        <b key="s" className="text-bad">
          {said(sandbox)}
        </b>
      ) : (
        said(sandbox)
      ),
    ]);
  return <Rows rows={rows.filter(([, value]) => value !== "")} />;
}

/** Words that may be somebody else's, with nothing hidden in them. */
const said = (words: string) =>
  words && (
    <span className="[&_bdi]:font-sans">
      <Plainly text={words} inline />
    </span>
  );

/** The arguments that are not told already by what is shown of the call. */
function beside({ detail }: Ask, told: Given, { input, json, exact }: Asked): string {
  if (text(detail, "diff") || !text(detail, "command", "url")) return "";
  if (!exact) return json;
  return Object.entries(input)
    .filter(([name, value]) => !Object.hasOwn(told, name) || told[name] !== value)
    .map(([name, value]) => `${name}=${JSON.stringify(value)}`)
    .join(" ");
}

export function Rows({ rows }: { rows: [string, ReactNode][] }) {
  if (!rows.length) return null;
  return (
    <dl className="grid grid-cols-[max-content_minmax(0,1fr)] gap-x-3 gap-y-0.5 text-xs">
      {rows.map(([name, value]) => (
        <Fragment key={name}>
          <dt className="text-ink-3">{name}</dt>
          <dd className="own-box break-words text-ink-2">{value}</dd>
        </Fragment>
      ))}
    </dl>
  );
}
