/** What an exchange, a call and an ask are before anything is known of them. */
import type { Of } from "./fold.js";
import type { Ask, Exchange, ToolPart } from "./shape.js";

export const BLANK: Exchange = {
  kind: "exchange",
  key: "",
  index: 0,
  before: 0,
  at: 0,
  prompt: [],
  person: "",
  parts: [],
  model: "",
  provider: "",
  agent: "",
  phase: "thinking",
  end: null,
};

export const BLANK_TOOL: ToolPart = {
  kind: "tool",
  key: "",
  toolId: "",
  name: "",
  input: null,
  partial: "",
  state: "writing",
  output: "",
  result: null,
  isError: false,
  at: 0,
  startedAt: 0,
  durationMs: 0,
  blob: "",
  writes: [],
  ask: null,
  child: null,
  server: false,
};

export function askOf({ index, at, data }: Of<"approval_required">): Ask {
  return {
    id: data.approval_id,
    index,
    at,
    kind: data.kind,
    toolId: data.tool_id ?? "",
    toolName: data.tool_name ?? "",
    question: data.question ?? "",
    choices: data.choices ?? [],
    detail: data.detail ?? {},
    hash: data.hash ?? "",
    answer: null,
    note: "",
    grant: "",
    person: "",
  };
}
