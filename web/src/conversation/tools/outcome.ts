/**
 * What a call gave back, read out of its text: the house's tools say `{status, error, result}` as JSON, others whatever
 * they like. Nothing is lost: what is not recognised stays as it came.
 */

import { type Given, isObject, text } from "../../prose/phrase.js";
import type { Block, MediaBlock, ToolPart } from "../../session/shape.js";

interface Outcome {
  /** What went wrong, in words. */
  error: string;
  exitCode: number | null;
  timedOut: boolean;
  /** What was printed. */
  stdout: string;
  stderr: string;
  note: string;
  /** Under which name the whole of what a command printed is kept. */
  outputId: string;
  /** The rest: a text, or something with structure. */
  value: unknown;
  media: MediaBlock[];
}

export function outcomeOf(result: Block[]): Outcome {
  const said = result.map((block) => (block.type === "text" ? block.text : "")).join("");
  const media = result.filter(
    (block): block is MediaBlock =>
      block.type === "image" || block.type === "audio" || block.type === "document",
  );
  const told = parsed(said);
  const ours = isObject(told) && (told.status === "success" || told.status === "error");
  const error = ours && isObject(told.error) ? text(told.error, "message") : "";
  const value = ours ? told.result : told === undefined ? said : told;
  return { ...printed(value), error, media };
}

/** The difference in lines, where the result of an edit tells it. */
export function changesOf(part: ToolPart): { added: number; removed: number } | null {
  const diff = part.ask?.detail.diff;
  if (typeof diff === "string") return countsOf(diff);
  const { value } = part.result ? outcomeOf(part.result) : { value: null };
  const changes = isObject(value)
    ? [value, ...list(value.files)].flatMap((each) => list(isObject(each) ? each.changes : null))
    : [];
  if (!changes.length) return createdBy(part, value);
  const sum = (name: string) =>
    changes.reduce<number>((all, each) => all + (isObject(each) ? Number(each[name]) || 0 : 0), 0);
  return { added: sum("lines_added"), removed: sum("lines_removed") };
}

/** A file that was not there before is all new. */
function createdBy(part: ToolPart, value: unknown): { added: number; removed: number } | null {
  const content = part.input?.content;
  if (!isObject(value) || value.created !== true || typeof content !== "string") return null;
  return { added: content ? content.replace(/\n$/, "").split("\n").length : 0, removed: 0 };
}

function countsOf(diff: string): { added: number; removed: number } {
  let added = 0;
  let removed = 0;
  for (const line of diff.split("\n")) {
    if (line.startsWith("+") && !line.startsWith("+++ ")) added++;
    else if (line.startsWith("-") && !line.startsWith("--- ")) removed++;
  }
  return { added, removed };
}

const list = (value: unknown): unknown[] => (Array.isArray(value) ? value : []);

function parsed(said: string): unknown {
  if (!/^\s*[{[]/.test(said)) return undefined;
  try {
    return JSON.parse(said);
  } catch {
    return undefined;
  }
}

function printed(value: unknown): Omit<Outcome, "error" | "media"> {
  const empty = { exitCode: null, timedOut: false, stdout: "", stderr: "", note: "", outputId: "" };
  if (!isObject(value) || !("stdout" in value || "output" in value || "exit_code" in value))
    return { ...empty, value, note: isObject(value) ? text(value, "note") : "" };
  const { exit_code, timed_out, duration_ms: _, ...rest } = value;
  return {
    exitCode: typeof exit_code === "number" ? exit_code : null,
    timedOut: timed_out === true,
    stdout: text(value, "stdout", "output"),
    stderr: text(value, "stderr"),
    note: [text(value, "note"), text(value, "hint")].filter(Boolean).join(" "),
    outputId: text(value, "output_id"),
    value: left(rest),
  };
}

/** What a command's result holds beside what was printed. */
function left(rest: Given): Given | null {
  const known = new Set(["stdout", "stderr", "output", "note", "hint", "output_id"]);
  const others = Object.entries(rest).filter(([name]) => !known.has(name));
  return others.length ? Object.fromEntries(others) : null;
}
