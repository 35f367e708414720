/**
 * The transcript: what a session looks like, made of its facts by `transcript.ts`, shown by the views.
 *
 * Values are never changed in place: whatever did not change is the same object as before, so that a view compares by
 * identity. Keys are stable for the life of the page, streaming or not.
 */
import type { Schema } from "../api/http.js";

export type TextBlock = Schema<"LogText">;
export type MediaBlock = Schema<"LogImage"> | Schema<"LogAudio"> | Schema<"LogDocument">;
export type Block =
  | TextBlock
  | MediaBlock
  | Schema<"LogReasoning">
  | Schema<"LogToolUse">
  | Schema<"LogToolResult">
  | Schema<"LogSources">;
export type Usage = Schema<"LogUsage">;
export type Source = Schema<"LogSource">;
export type FileChange = Schema<"LogFileChange">;
export type Todo = Schema<"LogTodoItem">;
export type Mode = "plan" | "ask" | "allow";

/** What stands in the conversation, oldest first. */
export type Item = Exchange | Compaction | Divider | Unknown;

/** One prompt and all that came of it. */
export interface Exchange {
  kind: "exchange";
  /** The `message_id`. */
  key: string;
  /** The index of its `user_message`; 0 where the page began in the middle and it is not loaded. */
  index: number;
  /** The index of the last fact before its prompt: a fork from there asks the same question anew. */
  before: number;
  at: number;
  prompt: Block[];
  /** The id of the person who said it, where a server knows one. */
  person: string;
  parts: Part[];
  /** Who answers: as of the last request. */
  model: string;
  provider: string;
  agent: string;
  /** What it does now; "over" from the `exchange_response` on, and never before. */
  phase: "thinking" | "responding" | "tools" | "waiting" | "retrying" | "stopping" | "over";
  end: End | null;
}

export interface End {
  index: number;
  at: number;
  success: boolean;
  reason: string;
  stop: string;
  iterations: number;
  usage: Usage;
  /** Micro-USD; null: a price is not known. */
  cost: number | null;
  durationMs: number;
}

export type Part =
  | TextPart
  | ReasoningPart
  | ToolPart
  | SteerPart
  | AskPart
  | RetryPart
  | InterruptedPart
  | ErrorPart
  | FilePart
  | SourcesPart
  | NoticePart;

export interface TextPart {
  kind: "text";
  key: string;
  /** The index of the answer that holds it, 0 while it is streamed. */
  index: number;
  at: number;
  text: string;
  streaming: boolean;
}

export interface ReasoningPart {
  kind: "reasoning";
  key: string;
  text: string;
  streaming: boolean;
  at: number;
  /** How long it took; null where the pieces are not loaded any more. */
  ms: number | null;
}

export type ToolState =
  | "writing"
  | "planned"
  | "asking"
  | "running"
  | "done"
  | "failed"
  | "denied"
  | "interrupted";

/** One card a call, filled in place. */
export interface ToolPart {
  kind: "tool";
  key: string;
  toolId: string;
  name: string;
  /** The arguments; null while they are written. A person may have changed them. */
  input: Record<string, unknown> | null;
  /** What is written of the arguments so far. */
  partial: string;
  state: ToolState;
  /** What it printed so far, while it runs. */
  output: string;
  /** What it gave back, once it did. */
  result: Block[] | null;
  isError: boolean;
  at: number;
  /** When it began to run; 0: it did not. */
  startedAt: number;
  durationMs: number;
  /** Where the whole output is, if `result` is only a part of it. */
  blob: string;
  writes: FileChange[];
  /** The ask that it waits for, or waited for. */
  ask: Ask | null;
  child: Child | null;
  /** The provider ran it itself. */
  server: boolean;
}

export interface Child {
  sessionId: string;
  agent: string;
  task: string;
}

/** Somebody has to decide. `answer` is null while it is open. */
export interface Ask {
  id: string;
  index: number;
  at: number;
  /** tool, question, plan, client, limit, budget, resume … */
  kind: string;
  toolId: string;
  toolName: string;
  question: string;
  choices: string[];
  detail: Record<string, unknown>;
  /** Of what is decided on: an answer names it. */
  hash: string;
  answer: string | null;
  note: string;
  /** What is allowed from now on, with `allow_all`. */
  grant: string;
  person: string;
}

export interface SteerPart {
  kind: "steer";
  key: string;
  at: number;
  content: Block[];
}

/** An ask that belongs to no call. */
export interface AskPart {
  kind: "ask";
  key: string;
  ask: Ask;
}

export interface RetryPart {
  kind: "retry";
  key: string;
  at: number;
  number: number;
  of: number;
  delayMs: number;
  reason: string;
  /** Something else has happened since. */
  over: boolean;
}

export interface InterruptedPart {
  kind: "interrupted";
  key: string;
  at: number;
  reason: string;
}

export interface ErrorPart {
  kind: "error";
  key: string;
  at: number;
  message: string;
  code: string;
  retryable: boolean;
  hint: string;
}

export interface FilePart {
  kind: "file";
  key: string;
  path: string;
  size: number;
}

export interface SourcesPart {
  kind: "sources";
  key: string;
  sources: Source[];
}

/** A quiet line: the mode, model or agent changed in the middle, or what a model ignored. */
export interface NoticePart {
  kind: "notice";
  key: string;
  what: "mode" | "model" | "agent" | "ignored";
  value: string;
}

export interface Compaction {
  kind: "compaction";
  key: string;
  index: number;
  at: number;
  reason: string;
  before: number;
  after: number;
  summary: string;
  cost: number | null;
  undone: boolean;
}

export interface Divider {
  kind: "divider";
  key: string;
  at: number;
  what: "reset" | "cleared" | "mode" | "model" | "agent";
  value: string;
}

/** A type that this page does not know: told in a quiet line, never lost. */
export interface Unknown {
  kind: "unknown";
  key: string;
  at: number;
  type: string;
}

/** A prompt that waits for its turn. */
export interface Queued {
  messageId: string;
  index: number;
  at: number;
  content: Block[];
  model: string;
  agent: string;
  steer: boolean;
}

/** A prompt that is on its way: on the screen at once, until the log has it. */
export interface Sending {
  messageId: string;
  at: number;
  text: string;
  /** As it is sent, and sent again. */
  content: Schema<"NewPrompt">["content"];
  wishes: { model?: string; agent?: string; mode?: string; steer?: boolean };
  /** Why the server would not take it; empty while it is on its way. */
  problem: string;
  /** It is sent once more by itself: the server was not there, or had too much to do. */
  later?: boolean;
}

export type Status = "idle" | "queued" | "working" | "waiting";

export interface Transcript {
  items: Item[];
  queue: Queued[];
  /** Open asks, oldest first, whether they stand in a tool card or by themselves. */
  asks: Ask[];
  todos: Todo[];
  status: Status;
  /** The `message_id` of the exchange that runs; empty: none. */
  running: string;
  /** How the last exchange ended. */
  outcome: "" | "done" | "failed" | "stopped";
  mode: string;
  model: string;
  agent: string;
  /** Of the exchanges that are loaded. */
  cost: number;
  /** The first and the last index that is loaded. */
  first: number;
  last: number;
}

export const EMPTY: Transcript = {
  items: [],
  queue: [],
  asks: [],
  todos: [],
  status: "idle",
  running: "",
  outcome: "",
  mode: "",
  model: "",
  agent: "",
  cost: 0,
  first: 0,
  last: 0,
};
