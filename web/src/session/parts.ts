/**
 * One exchange while it is written: what its events make of it, part by part.
 *
 * Parts of a step have the place of their block as key, streamed or whole, so that the answer takes the place of its
 * pieces and nothing on the screen moves.
 */
import type { Schema } from "../api/http.js";
import { askOf, BLANK, BLANK_TOOL } from "./blank.js";
import type { Of, Told } from "./fold.js";
import type { Ask, Block, End, Exchange, Part, ToolPart } from "./shape.js";

/** What happened while an answer came, and is no part of it: the whole answer does not take its place. */
const BESIDE: ReadonlySet<Part["kind"]> = new Set(["steer", "notice", "error"]);

export class Parts {
  changed = false;
  private exchange: Exchange;
  private parts: Part[];
  private asks = new Map<string, { ask: Ask; key: string }>();
  /** Where the parts of the current step begin. */
  private stepAt = 0;
  private steps = 0;
  private phase: Exchange["phase"] = "thinking";
  private stopping = false;

  constructor(key: string, at: number, known?: Exchange) {
    this.exchange = known ?? { ...BLANK, key, at };
    this.parts = this.exchange.parts.slice();
    this.stepAt = this.parts.length;
    for (const part of this.parts)
      if ((part.kind === "tool" || part.kind === "ask") && part.ask)
        this.asks.set(part.ask.id, { ask: part.ask, key: part.kind === "tool" ? part.toolId : "" });
  }

  get over(): boolean {
    return this.exchange.end !== null;
  }

  shown(): Exchange {
    this.changed = false;
    const waits = [...this.asks.values()].some(({ ask }) => ask.answer === null);
    const phase = this.over ? "over" : this.stopping ? "stopping" : waits ? "waiting" : this.phase;
    this.exchange = { ...this.exchange, phase, parts: this.parts.slice() };
    return this.exchange;
  }

  knows(askId: string): boolean {
    return this.asks.has(askId);
  }

  openAsks(): Ask[] {
    return [...this.asks.values()].map(({ ask }) => ask).filter((ask) => ask.answer === null);
  }

  begin(event: Of<"user_message">, before: number, person: string, agent: string): void {
    const prompt = event.data.content as Block[];
    this.put({ index: event.index, before, at: event.at, prompt, person, agent });
  }

  steer(content: Block[], index: number, at: number): void {
    this.add({ kind: "steer", key: `s${index}`, at, content });
  }

  notice(what: "mode" | "model" | "agent" | "ignored", value: string, index: number): void {
    this.add({ kind: "notice", key: `n${index}.${what}.${value}`, what, value });
  }

  /** The last event of an exchange: whatever was left in the middle is over too. */
  finish(end: End): void {
    this.settle();
    for (const [n, part] of this.parts.entries()) {
      if (part.kind !== "tool" || !["writing", "planned", "asking", "running"].includes(part.state)) continue;
      this.parts[n] = { ...part, state: "interrupted" };
    }
    // A plan is what an exchange leaves behind: it waits on.
    for (const { ask } of this.asks.values())
      if (ask.answer === null && ask.kind !== "plan") this.resolve(ask.id, { answer: "closed" });
    this.put({ end });
  }

  apply(event: Told): void {
    this.changed = true;
    switch (event.type) {
      case "message_start":
        this.settle();
        this.stepAt = this.parts.length;
        this.steps = event.step ?? this.steps + 1;
        this.put({ model: event.data.model ?? "", provider: event.data.provider ?? "" });
        return;
      case "conversation_thinking":
        this.phase = "thinking";
        return;
      case "conversation_responding":
        this.phase = "responding";
        return;
      case "text_delta":
        return this.text(event.data.text, event.at);
      case "reasoning_delta":
        return this.reasoning(event.data.text ?? "", event.at);
      case "tool_use_content_block_start":
        this.settle();
        this.phase = "tools";
        this.add(this.tool(event.data.id, event.data.name, event.at));
        return;
      case "input_json_delta":
        return this.piece(event.data);
      case "stream_reset":
        this.parts.length = this.stepAt;
        this.phase = "thinking";
        return;
      case "assistant_message":
        return this.answer(event);
      case "tool_planned":
        this.phase = "tools";
        return;
      case "tool_intent":
        this.change(event.data.tool_id, (part) => ({
          ...part,
          state: "running",
          startedAt: event.at,
          input: event.data.input ?? part.input,
          writes: event.data.writes ?? part.writes,
        }));
        return;
      case "tool_output_delta":
        this.change(event.data.tool_id, (part) => ({ ...part, output: part.output + event.data.text }));
        return;
      case "tool_result":
        return this.result(event.data, event.at);
      case "agent_step":
        this.phase = "thinking";
        return;
      case "approval_required":
        return this.asked(event);
      case "approval_resolved":
        return this.resolve(event.data.approval_id, event.data);
      case "child_started": {
        const { tool_id, session_id, agent, task } = event.data;
        const child = { sessionId: session_id, agent: agent ?? "", task: task ?? "" };
        this.change(tool_id ?? "", (part) => ({ ...part, child }));
        return;
      }
      case "conversation_retrying": {
        const { number = 0, of = 0, delay_ms = 0, reason = "" } = event.data;
        this.phase = "retrying";
        this.add({
          kind: "retry",
          key: `r${event.index}`,
          at: event.at,
          number,
          of,
          delayMs: delay_ms,
          reason,
          over: false,
        });
        return;
      }
      case "cancel_requested":
        this.stopping = true;
        return;
      case "interrupted":
        this.settle();
        this.add({
          kind: "interrupted",
          key: `i${event.index}`,
          at: event.at,
          reason: event.data.reason ?? "",
        });
        return;
      case "error_message": {
        const { message, code = "", retryable = false, hint = "" } = event.data;
        this.add({ kind: "error", key: `e${event.index}`, at: event.at, message, code, retryable, hint });
        return;
      }
      case "file_ready":
        this.add({ kind: "file", key: `f${event.index}`, path: event.data.path, size: event.data.size ?? 0 });
        return;
      default:
        return;
    }
  }

  private text(text: string, at: number): void {
    const last = this.parts.at(-1);
    if (last?.kind === "text" && last.streaming)
      this.parts[this.parts.length - 1] = { ...last, text: last.text + text };
    else {
      this.settle(at);
      this.add({ kind: "text", key: this.key(), index: 0, at, text, streaming: true });
    }
  }

  private reasoning(text: string, at: number): void {
    const last = this.parts.at(-1);
    if (last?.kind === "reasoning" && last.streaming)
      this.parts[this.parts.length - 1] = { ...last, text: last.text + text, ms: at - last.at };
    else {
      this.settle(at);
      this.add({ kind: "reasoning", key: this.key(), text, streaming: true, at, ms: 0 });
    }
  }

  private piece({ id, partial_json }: Schema<"LogInputJsonDelta">): void {
    const place = this.parts.findLastIndex((part) => part.kind === "tool" && (!id || part.toolId === id));
    const part = this.parts[place];
    if (part?.kind === "tool" && partial_json)
      this.parts[place] = { ...part, partial: part.partial + partial_json };
  }

  /** The whole answer takes the place of its pieces. */
  private answer(event: Of<"assistant_message">): void {
    this.settle(event.at);
    const streamed = this.parts.splice(this.stepAt);
    this.steps = event.step ?? this.steps;
    // Tries stay where they were seen, above the answer: nothing of it moves, nor is drawn anew, when it is whole.
    for (const part of streamed) if (part.kind === "retry") this.add(part);
    const blocks = event.data.content as Block[];
    for (const block of blocks) this.block(block, event, streamed);
    const results = blocks.filter((block) => block.type === "tool_result");
    for (const { tool_id, content, is_error } of results)
      this.result({ tool_id, name: "", content: content ?? [], is_error: is_error ?? false }, event.at);
    for (const part of streamed) if (BESIDE.has(part.kind)) this.add(part);
    for (const notice of event.data.notices ?? []) this.notice("ignored", notice, event.index);
    if (event.data.model) this.put({ model: event.data.asked || event.data.model });
  }

  private block(block: Block, event: Of<"assistant_message">, streamed: Part[]): void {
    const key = this.key();
    if (block.type === "text" && !block.aside) {
      this.add({ kind: "text", key, index: event.index, at: event.at, text: block.text, streaming: false });
    } else if (block.type === "reasoning") {
      const known = streamed.find((part) => part.kind === "reasoning" && part.key === key);
      const ms = known?.kind === "reasoning" ? known.ms : null;
      if (block.text)
        this.add({
          kind: "reasoning",
          key,
          text: block.text,
          streaming: false,
          at: known?.kind === "reasoning" ? known.at : event.at,
          ms,
        });
    } else if (block.type === "tool_use") {
      this.add({
        ...this.tool(block.id, block.name, event.at),
        key,
        input: block.input ?? {},
        state: block.server ? "running" : "planned",
        server: block.server ?? false,
      });
    } else if (block.type === "sources") {
      this.add({ kind: "sources", key, sources: block.sources ?? [] });
    }
  }

  private result(told: Schema<"LogToolResultFact">, at: number): void {
    if (!this.parts.some((part) => part.kind === "tool" && part.toolId === told.tool_id))
      this.add({ ...this.tool(told.tool_id, told.name, at), input: {} });
    const isError = told.is_error ?? false;
    this.change(told.tool_id, (part) => ({
      ...part,
      state: isError ? (part.ask?.answer && !part.startedAt ? "denied" : "failed") : "done",
      result: told.content as Block[],
      output: "",
      isError,
      // What it took to run: the time that somebody was asked for is not its own.
      durationMs: part.startedAt
        ? Math.min(told.duration_ms ?? 0, at - part.startedAt)
        : (told.duration_ms ?? 0),
      blob: told.blob ?? "",
      writes: told.writes?.length ? told.writes : part.writes,
    }));
  }

  private asked(event: Of<"approval_required">): void {
    const ask = askOf(event);
    // A child's call is none of this session's, whatever its id; and a call has room for one ask at a time.
    const call = this.parts.findLast((part) => part.kind === "tool" && part.toolId === ask.toolId);
    const tool = ask.toolId && !ask.detail.child && call?.kind === "tool" && call.ask?.answer !== null;
    this.asks.set(ask.id, { ask, key: tool ? ask.toolId : "" });
    if (tool) this.change(ask.toolId, (part) => ({ ...part, ask, state: "asking" }));
    else this.add({ kind: "ask", key: `a${event.index}`, ask });
  }

  private resolve(
    id: string,
    told: { answer: string; note?: string; grant?: string; person?: string },
  ): void {
    const known = this.asks.get(id);
    if (!known || known.ask.answer !== null) return;
    const { answer, note = "", grant = "", person = "" } = told;
    const ask = { ...known.ask, answer, note, grant, person };
    this.asks.set(id, { ...known, ask });
    if (known.key)
      this.change(known.key, (part) => ({
        ...part,
        ask,
        state: part.state === "asking" ? "planned" : part.state,
      }));
    else
      this.parts = this.parts.map((part) =>
        part.kind === "ask" && part.ask.id === id ? { ...part, ask } : part,
      );
    this.changed = true;
  }

  private tool(toolId: string, name: string, at: number): ToolPart {
    return { ...BLANK_TOOL, key: this.key(), toolId, name, at };
  }

  /** Change the newest call of that id. */
  private change(toolId: string, changed: (part: ToolPart) => ToolPart): void {
    const place = this.parts.findLastIndex((part) => part.kind === "tool" && part.toolId === toolId);
    const part = this.parts[place];
    if (part?.kind === "tool") this.parts[place] = changed(part);
  }

  /** What was streamed is not written on; a try that was waited for is made. */
  private settle(at?: number): void {
    this.parts = this.parts.map((part) => {
      if (part.kind === "text" && part.streaming) return { ...part, streaming: false };
      if (part.kind === "reasoning" && part.streaming)
        return { ...part, streaming: false, ms: at ? at - part.at : part.ms };
      return part.kind === "retry" && !part.over ? { ...part, over: true } : part;
    });
  }

  private key(): string {
    return `${this.steps}.${this.parts.length - this.stepAt}`;
  }

  private add(part: Part): void {
    this.parts.push(part);
    this.changed = true;
  }

  private put(change: Partial<Exchange>): void {
    this.exchange = { ...this.exchange, ...change };
    this.changed = true;
  }
}
