/**
 * What a call does, in a few words: a verb, and what it is about. Arguments come from a model: whatever is missing or of
 * the wrong type, there is a phrase, and it is one line.
 */
import { texts } from "../texts/texts.js";
import { onOneLine } from "./plain-characters.js";

export type Given = Record<string, unknown>;
export type Sort = "read" | "edit" | "command" | "search" | "fetch" | "other";

interface Phrase {
  verb: string;
  /** While it runs: "reading". */
  doing: string;
  about: string;
  /** The end of `about` says more than its middle. */
  path: boolean;
}

const SORTS: Record<string, Sort> = {
  read_file: "read",
  write_file: "edit",
  patch_file: "edit",
  multi_edit: "edit",
  list_dir: "search",
  glob: "search",
  grep: "search",
  bash_exec: "command",
  shell_exec: "command",
  web_fetch: "fetch",
};

export const sortOf = (name: string): Sort => SORTS[name] ?? "other";

export function phrase(name: string, given: Given): Phrase {
  const words = texts.conversation.tools;
  const [verb, doing] = words.verbs[name] ?? [whose(name), `${words.using} ${whose(name)}`];
  const about = (ABOUT[name] ?? anything)(given);
  return { verb, doing, about: oneLine(about), path: sortOf(name) === "read" || sortOf(name) === "edit" };
}

/** The name of a tool; of an MCP server's, with the server's name. */
export function whose(name: string): string {
  const [kind, server, ...tool] = name.split("__");
  return kind === "mcp" && server && tool.length
    ? texts.conversation.tools.of(oneLine(tool.join("__")), oneLine(server))
    : oneLine(name);
}

/** The path that a call is about; empty: none, or several. */
export function pathOf(given: Given): string {
  return text(given, "file_path", "path");
}

/** How many files a call is about. */
export function filesOf(given: Given): number {
  return Math.max(1, objects(given, "files").length || new Set(objects(given, "edits").map(pathOf)).size);
}

const ABOUT: Record<string, (given: Given) => string> = {
  read_file: (given) =>
    (objects(given, "files").length ? objects(given, "files") : [given])
      .map((each) => pathOf(each) + span(each))
      .join(", "),
  write_file: pathOf,
  patch_file: edited,
  multi_edit: edited,
  list_dir: (given) => pathOf(given) || ".",
  glob: (given) => within(text(given, "pattern"), text(given, "path")),
  grep: (given) => within(`“${text(given, "pattern")}”`, text(given, "path", "glob")),
  bash_exec: command,
  shell_open: command,
  shell_exec: (given) => (text(given, "command") ? command(given) : text(given, "input", "text")),
  shell_close: (given) => text(given, "session_id", "shell_id"),
  read_output: (given) => text(given, "output_id", "search"),
  get_project_info: () => "",
  todo_read: () => "",
  recall: (given) => text(given, "query"),
  todo_write: (given) => {
    const all = objects(given, "todos");
    const done = all.filter((each) => each.status === "completed").length;
    return texts.conversation.tools.todos(done, all.length);
  },
  web_fetch: (given) => text(given, "url"),
  delegate: (given) => {
    const task = text(given, "task").trim().split("\n")[0] ?? "";
    const agent = text(given, "agent");
    return agent && task ? `${agent}: ${task}` : agent || task;
  },
  ask_user: (given) => text(given, "question"),
};

/** A tool that is not known here: the only text as it is, else all that it is given. */
function anything(given: Given): string {
  const values = Object.entries(given);
  const [first] = values;
  if (values.length === 1 && typeof first?.[1] === "string") return first[1];
  return values.map(([name, value]) => `${name}=${JSON.stringify(value)}`).join(" ");
}

function edited(given: Given): string {
  const paths = objects(given, "edits").map(pathOf);
  return [...new Set(paths.length ? paths : [pathOf(given)])].join(", ");
}

function command(given: Given): string {
  const lines = text(given, "command")
    .split("\n")
    .filter((line) => line.trim());
  const more = lines.length > 1 ? ` ${texts.conversation.tools.moreLines(lines.length - 1)}` : "";
  return (lines[0] ?? "") + more;
}

function within(what: string, where: string): string {
  return where && where !== "." ? texts.conversation.tools.inFolder(what, where) : what;
}

function span(given: Given): string {
  const ranges = objects(given, "ranges");
  if (ranges.length) return ranges.map(span).join(",");
  const { start_line: first, end_line: last } = given;
  if (typeof first !== "number" && typeof last !== "number") return "";
  return `:${typeof first === "number" ? first : 1}–${typeof last === "number" ? last : ""}`;
}

/** The first of these arguments that says something. */
export function text(given: Given, ...names: string[]): string {
  for (const name of names) {
    const value = given[name];
    if (typeof value === "string" && value) return value;
  }
  return "";
}

export function objects(given: Given, name: string): Given[] {
  const value = given[name];
  return Array.isArray(value) ? value.filter(isObject) : [];
}

export function isObject(value: unknown): value is Given {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** What others wrote, on one line, and nothing hidden in it. */
export const oneLine = (said: string) => onOneLine(said.replace(/\s+/g, " ").trim().slice(0, 400));
