/**
 * The fold: advance by one stored fact, return what the layers above saw. The same as the server's, event for event:
 * the golden logs prove it. No clock, no floats, no offsets into text.
 */
import type { Row, StoredEvent } from "../api/client.js";
import type { Schema } from "../api/http.js";
import type { Block } from "./shape.js";

type Answer = Schema<"LogAssistantMessage">;
type Result = Schema<"LogToolResultFact">;
type Use = Schema<"LogToolUse">;
type Ran = Schema<"LogToolResult">;

interface ToolCall {
  id: string;
  name: string;
  input: Record<string, unknown>;
}

interface StepTold {
  iteration: number;
  thought: string;
  tool_calls: ToolCall[];
  tool_results: { tool_id: string; name: string; content: string; is_error: boolean }[];
  response_text: string;
  is_complete: boolean;
}

interface UseMessage {
  id: string;
  tool_call: ToolCall;
  tool_result: { type: "text" | "error-text"; value: string };
  complete: boolean;
  role: "tool-use";
}

type Nothing = Record<string, never>;

/** What is derived: a name and its fields. */
type Derived =
  | { type: "text_content_block_start" | "text_content_block_stop"; data: { block: number } }
  | { type: "tool_use_content_block_start"; data: { block: number; id: string; name: string } }
  | { type: "tool_use_content_block_stop"; data: { block: number; id: string } }
  | { type: "tool_call"; data: ToolCall }
  | { type: "usage"; data: Schema<"LogUsage"> }
  | { type: "message_delta"; data: { stop_reason: string } }
  | { type: "tool_planned" | "tool_executing" | "tool_completed"; data: { tool_id: string; name: string } }
  | { type: "tool_use_message"; data: UseMessage }
  | { type: "agent_step"; data: StepTold }
  | { type: "exchange_request"; data: { content: Block[] } }
  | { type: "tool_result"; data: Result }
  | {
      type:
        | "message_stop"
        | "conversation_queued"
        | "conversation_start"
        | "conversation_thinking"
        | "conversation_responding"
        | "conversation_end";
      data: Nothing;
    };

/** A stored event with its fields: those that say nothing are left out of the bytes. */
type Filled<E> = E extends { data?: infer D } ? Omit<E, "data"> & { data: NonNullable<D> } : never;
type Fact = Filled<StoredEvent>;

/** An event of any layer: a fact (`sub` 0), or what was derived of one. */
export type Told = (Fact | (Derived & Omit<Fact, "type" | "data">)) & { index: number; sub: number };

/** Those of one type. */
export type Of<T extends Told["type"]> = Extract<Told, { type: T }>;

export interface Fold {
  /** The exchange that runs; empty between exchanges. */
  readonly messageId: string;
  readonly open: "" | "text" | "reasoning" | "tool";
  readonly block: number;
  readonly call: number;
  readonly callId: string;
  readonly responding: boolean;
  /** The answer of the current step, until its `agent_step` is told. */
  readonly last: Answer | null;
  readonly iteration: number;
  readonly results: readonly Result[];
}

export const START: Fold = {
  messageId: "",
  open: "",
  block: -1,
  call: -1,
  callId: "",
  responding: false,
  last: null,
  iteration: 0,
  results: [],
};

type Stepped = [state: Fold, before: Derived[], after: Derived[]];

/** Advance by one fact; it stands among what it told, in reading order. */
export function step(state: Fold, [index, stored]: Row): [Fold, Told[]] {
  const fact = (stored.data ? stored : { ...stored, data: {} }) as Fact;
  if (fact.type === "text_delta" && state.open === "text") return [state, [{ ...fact, index, sub: 0 }]];
  const [next, before, after] = stepped(state, fact);
  const told: Told[] = before.map((each, n) => derive(fact, each, index, n - before.length));
  told.push({ ...fact, index, sub: 0 });
  for (const [n, each] of after.entries()) told.push(derive(fact, each, index, n + 1));
  return [next, told];
}

function derive(cause: Fact, { type, data }: Derived, index: number, sub: number): Told {
  return { ...cause, type, data, index, sub } as Told;
}

function stepped(state: Fold, fact: Fact): Stepped {
  switch (fact.type) {
    case "prompt_queued":
      return [state, [], [nothing("conversation_queued")]];
    case "user_message": {
      if (fact.data.steer) return [state, [], []];
      const request: Derived = { type: "exchange_request", data: { content: fact.data.content as Block[] } };
      return [begun(fact), left(state), [request, nothing("conversation_start")]];
    }
    case "message_start":
      return [begun(fact), left(state), [nothing("conversation_thinking")]];
    case "text_delta":
      return textDelta(state);
    case "reasoning_delta":
      if (state.open === "reasoning") return [state, [], []];
      return [{ ...state, open: "reasoning", block: state.block + 1 }, closed(state), []];
    case "input_json_delta":
      return inputDelta(state, fact.data);
    case "stream_reset":
      return [{ ...START, messageId: state.messageId }, closed(state), []];
    case "assistant_message": {
      const done = { ...begun(fact), last: fact.data, iteration: fact.step ?? 0 };
      return [done, left(state), answered(fact.data)];
    }
    case "tool_intent":
      return [state, [], [{ type: "tool_executing", data: named(fact.data) }]];
    case "tool_result":
      return toolResult(state, fact.data);
    case "exchange_response":
      return [
        START,
        [...closed(state), ...stepTold(state, fact.data.success), nothing("conversation_end")],
        [],
      ];
    default:
      return [state, [], []];
  }
}

function nothing(type: Extract<Derived, { data: Nothing }>["type"]): Derived {
  return { type, data: {} };
}

function named({ tool_id, name }: { tool_id: string; name: string }): { tool_id: string; name: string } {
  return { tool_id, name };
}

function begun(fact: Fact): Fold {
  return { ...START, messageId: fact.message_id ?? "" };
}

/** What has to be told before something new begins. */
function left(state: Fold): Derived[] {
  return [...closed(state), ...stepTold(state, false)];
}

/** The stop of the block that is open. */
function closed(state: Fold): Derived[] {
  if (state.open === "text") return [{ type: "text_content_block_stop", data: { block: state.block } }];
  if (state.open === "tool")
    return [{ type: "tool_use_content_block_stop", data: { block: state.block, id: state.callId } }];
  return [];
}

/** The step that is not told yet. */
function stepTold(state: Fold, complete: boolean): Derived[] {
  if (!state.last) return [];
  const content = state.last.content;
  const data: StepTold = {
    iteration: state.iteration,
    thought: content.map((block) => (block.type === "reasoning" ? (block.text ?? "") : "")).join(""),
    tool_calls: usesOf(state.last).map(callOf),
    tool_results: state.results.map((result) => ({
      ...named(result),
      content: resultText(result),
      is_error: result.is_error ?? false,
    })),
    response_text: content.map((block) => (block.type === "text" && !block.aside ? block.text : "")).join(""),
    is_complete: complete,
  };
  return [{ type: "agent_step", data }];
}

function textDelta(state: Fold): Stepped {
  const before = closed(state);
  if (!state.responding) before.push(nothing("conversation_responding"));
  const block = state.block + 1;
  before.push({ type: "text_content_block_start", data: { block } });
  return [{ ...state, open: "text", block, responding: true }, before, []];
}

function inputDelta(state: Fold, piece: Schema<"LogInputJsonDelta">): Stepped {
  // Servers may mix the pieces of parallel calls.
  if (piece.block <= state.call) return [state, [], []];
  const block = state.block + 1;
  const id = piece.id ?? "";
  const start: Derived = {
    type: "tool_use_content_block_start",
    data: { block, id, name: piece.name ?? "" },
  };
  return [{ ...state, open: "tool", block, call: piece.block, callId: id }, [...closed(state), start], []];
}

function answered(answer: Answer): Derived[] {
  const after: Derived[] = [
    { type: "usage", data: answer.usage ?? {} },
    { type: "message_delta", data: { stop_reason: answer.stop_reason } },
    nothing("message_stop"),
  ];
  const results = new Map<string, Ran>();
  for (const block of answer.content) {
    if (block.type === "tool_result" && !results.has(block.tool_id)) results.set(block.tool_id, block);
  }
  for (const block of answer.content) {
    if (block.type !== "tool_use") continue;
    after.push(...planned(block));
    if (block.server) after.push(...ranElsewhere(block, results.get(block.id)));
  }
  return after;
}

function planned(use: Use): Derived[] {
  const call = callOf(use);
  const empty = { type: "text" as const, value: "" };
  return [
    { type: "tool_call", data: call },
    {
      type: "tool_use_message",
      data: { id: use.id, tool_call: call, tool_result: empty, complete: false, role: "tool-use" },
    },
    { type: "tool_planned", data: { tool_id: use.id, name: use.name } },
  ];
}

/** The result of a tool that the provider ran itself stands in the answer. */
function ranElsewhere(use: Use, ran?: Ran): Derived[] {
  if (!ran) return [];
  const result: Result = {
    tool_id: use.id,
    name: use.name,
    content: ran.content ?? [],
    is_error: ran.is_error ?? false,
  };
  return [{ type: "tool_result", data: result }, ...completed(callOf(use), result)];
}

function completed(call: ToolCall, result: Result): Derived[] {
  const type = result.is_error ? ("error-text" as const) : ("text" as const);
  const output = { type, value: resultText(result) };
  return [
    { type: "tool_completed", data: named(result) },
    {
      type: "tool_use_message",
      data: { id: call.id, tool_call: call, tool_result: output, complete: true, role: "tool-use" },
    },
  ];
}

function toolResult(state: Fold, result: Result): Stepped {
  const uses = state.last ? usesOf(state.last) : [];
  const use = uses.find((each) => each.id === result.tool_id);
  const call = use ? callOf(use) : { id: result.tool_id, name: result.name, input: {} };
  const after = completed(call, result);
  const asked = uses.filter((each) => each.id === result.tool_id).length;
  const known = state.results.filter((each) => each.tool_id === result.tool_id).length;
  if (known >= asked) return [state, [], after];
  const next = { ...state, results: [...state.results, result] };
  if (next.results.length < uses.length) return [next, [], after];
  return [{ ...next, last: null, results: [] }, [], [...after, ...stepTold(next, false)]];
}

/** The calls that are ours to answer. */
function usesOf(answer: Answer): Use[] {
  return answer.content.filter((block): block is Use => block.type === "tool_use" && !block.server);
}

function callOf(use: Use): ToolCall {
  return { id: use.id, name: use.name, input: use.input ?? {} };
}

/** A tool's result as text; media are named by their type. */
function resultText(result: Pick<Result, "content">): string {
  return result.content.map((part) => (part.type === "text" ? part.text : `[${part.media_type}]`)).join("");
}
