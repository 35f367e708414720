/**
 * Makes the transcript of a session out of its events, one after the other.
 *
 * Facts and what the fold derives of them go through `apply`; `snapshot` gives what is to be shown. Between two
 * snapshots drafts are changed in place; what was given out never is.
 */
import type { Row } from "../api/client.js";
import { type Fold, START, step, type Told } from "./fold.js";
import { Parts } from "./parts.js";
import {
  type Block,
  EMPTY,
  type End,
  type Exchange,
  type Item,
  type Queued,
  type Todo,
  type Transcript,
} from "./shape.js";

/** What marks the end of a piece: from there on its pieces are not needed any more. */
const WHOLE = new Set(["assistant_message", "tool_result"]);

export class Builder {
  /** Every `message_id` that the log has: queued, running or over. */
  readonly logged = new Set<string>();
  private fold: Fold = START;
  private items: Item[] = [];
  private drafts = new Map<string, Parts>();
  private places = new Map<string, number>();
  private queue = new Map<string, Queued>();
  private queuedAt = new Map<string, { before: number; person: string }>();
  private order: string[] = [];
  private todos: Todo[] = [];
  private chosen = { mode: "", model: "", agent: "" };
  private ends = { cost: 0, outcome: "" as Transcript["outcome"] };
  private running = "";
  private range = { first: 0, last: 0 };

  /** Take facts, in order; true if pieces became whole. */
  take(rows: Row[]): boolean {
    let whole = false;
    for (const row of rows) {
      const [fold, told] = step(this.fold, row);
      this.fold = fold;
      for (const event of told) this.apply(event);
      this.range.first ||= row[0];
      this.range.last = row[0];
      whole ||= WHOLE.has(row[1].type);
    }
    return whole;
  }

  /** Keep the objects of exchanges that are over and were shown before: their views need not be drawn again. */
  reuse(before: Transcript): void {
    this.draw();
    const over = new Map(before.items.map((item) => [item.key, item]));
    for (const [n, item] of this.items.entries()) {
      const known = over.get(item.key);
      if (known?.kind !== "exchange") this.items[n] = known ?? item;
      else if (item.kind === "exchange" && known.end && isAlike(known, item)) this.items[n] = known;
    }
  }

  /** Give out what is new of the exchanges; those that are over need no draft any more. */
  private draw(): void {
    for (const [key, draft] of this.drafts) {
      const place = this.places.get(key)!;
      if (draft.changed) this.items[place] = draft.shown();
      if (draft.over && !draft.openAsks().length) this.drafts.delete(key);
    }
  }

  snapshot(): Transcript {
    this.draw();
    const runs = this.running ? (this.items[this.places.get(this.running)!] as Exchange) : undefined;
    const asks = [...this.drafts.values()].flatMap((draft) => draft.openAsks());
    const status = runs
      ? runs.phase === "waiting"
        ? "waiting"
        : "working"
      : this.queue.size
        ? "queued"
        : asks.length
          ? "waiting"
          : "idle";
    return {
      ...EMPTY,
      ...this.chosen,
      ...this.range,
      ...this.ends,
      items: this.items.slice(),
      queue: this.order.flatMap((id) => this.queue.get(id) ?? []),
      asks,
      todos: this.todos,
      status,
      running: this.running,
    };
  }

  private apply(event: Told): void {
    const id = event.message_id ?? "";
    switch (event.type) {
      case "prompt_queued":
        this.logged.add(id);
        this.queuedAt.set(id, { before: event.index - 1, person: event.data.person ?? "" });
        this.queue.set(id, {
          messageId: id,
          index: event.index,
          at: event.at,
          content: event.data.content as Block[],
          model: event.data.model ?? "",
          agent: event.data.agent ?? "",
          steer: event.data.steer ?? false,
        });
        this.order.push(id);
        return;
      case "prompt_edited": {
        const known = this.queue.get(id);
        if (known) this.queue.set(id, { ...known, content: event.data.content as Block[] });
        return;
      }
      case "prompt_moved":
        this.order = [...event.data.order, ...this.order.filter((each) => !event.data.order.includes(each))];
        return;
      case "prompt_cancelled":
        this.unqueue(id);
        return;
      case "user_message":
        this.userMessage(event);
        return;
      case "todos_changed":
        this.todos = event.data.todos;
        return;
      case "mode_changed":
        this.choose(event, "mode", event.data.mode);
        return;
      case "model_changed":
        this.choose(event, "model", event.data.model);
        return;
      case "agent_changed":
        this.choose(event, "agent", event.data.agent);
        return;
      case "session_reset":
        this.divide(event, "reset");
        return;
      case "session_cleared":
        this.divide(event, "cleared");
        return;
      case "compaction":
        this.add({
          kind: "compaction",
          key: `c${event.index}`,
          index: event.index,
          at: event.at,
          reason: event.data.reason ?? "",
          before: event.data.before ?? 0,
          after: event.data.after ?? 0,
          summary: event.data.summary ?? "",
          cost: event.data.cost ?? null,
          undone: false,
        });
        return;
      case "compaction_undone": {
        const place = this.places.get(`c${event.data.compaction}`);
        const known = place === undefined ? undefined : this.items[place];
        if (known?.kind === "compaction") this.items[place!] = { ...known, undone: true };
        return;
      }
      case "approval_resolved": {
        // A plan may be resolved by a later exchange, or after all of them.
        const { approval_id } = event.data;
        const asker = [...this.drafts.values()].find((draft) => draft.knows(approval_id));
        if (asker) asker.apply(event);
        return;
      }
      case "exchange_response":
        this.ended(event);
        return;
      case "conversation_queued":
        return;
      case "cancel_requested":
        if (this.drafts.has(id)) this.draft(event).apply(event);
        return;
      default:
        if (id) this.draft(event).apply(event);
        else this.unknown(event);
    }
  }

  private userMessage(event: Extract<Told, { type: "user_message" }>): void {
    const id = event.message_id ?? "";
    this.logged.add(id);
    if (event.data.steer) {
      this.logged.add(event.data.prompt_id ?? "");
      this.unqueue(event.data.prompt_id ?? "");
      this.draft(event).steer(event.data.content as Block[], event.index, event.at);
      return;
    }
    const queued = this.queuedAt.get(id);
    const asked = this.queue.get(id);
    this.unqueue(id);
    this.running = id;
    const draft = this.draft(event);
    draft.begin(
      event,
      queued?.before ?? event.index - 1,
      queued?.person ?? "",
      asked?.agent || this.chosen.agent,
    );
  }

  private ended(event: Extract<Told, { type: "exchange_response" }>): void {
    const told = event.data;
    const end: End = {
      index: event.index,
      at: event.at,
      success: told.success,
      reason: told.completion_reason,
      stop: told.stop_reason,
      iterations: told.iterations,
      usage: told.usage ?? {},
      cost: told.cost ?? null,
      durationMs: told.duration_ms ?? 0,
    };
    this.draft(event).finish(end);
    this.ends.cost += end.cost ?? 0;
    this.ends.outcome = end.success ? "done" : end.reason === "user_stopped" ? "stopped" : "failed";
    if (this.running === event.message_id) this.running = "";
  }

  /** The exchange that an event belongs to; one whose beginning is not loaded begins here. */
  private draft(event: Told): Parts {
    const id = event.message_id ?? "";
    const known = this.drafts.get(id);
    if (known) return known;
    const place = this.places.get(id);
    const shown = place === undefined ? undefined : this.items[place];
    const draft = new Parts(id, event.at, shown?.kind === "exchange" ? shown : undefined);
    this.drafts.set(id, draft);
    if (place === undefined) this.add(draft.shown());
    if (event.type !== "exchange_response" && !draft.over) this.running = id;
    return draft;
  }

  private choose(event: Told, what: "mode" | "model" | "agent", value: string): void {
    this.chosen[what] = value;
    const runs =
      this.running && event.message_id === this.running ? this.drafts.get(this.running) : undefined;
    if (runs) runs.notice(what, value, event.index);
    else this.divide(event, what, value);
  }

  private divide(event: Told, what: "reset" | "cleared" | "mode" | "model" | "agent", value = ""): void {
    this.add({ kind: "divider", key: `d${event.index}`, at: event.at, what, value });
  }

  private unknown(event: Told): void {
    if (event.sub || ["opening", "aside"].includes(event.type)) return;
    this.add({ kind: "unknown", key: `u${event.index}`, at: event.at, type: event.type });
  }

  private add(item: Item): void {
    this.places.set(item.key, this.items.length);
    this.items.push(item);
  }

  private unqueue(id: string): void {
    if (!this.queue.delete(id)) return;
    this.order = this.order.filter((each) => each !== id);
  }
}

/** What an older page may tell of an exchange whose end is known: that it began, for whom, and after what. */
function isAlike(a: Exchange, b: Exchange): boolean {
  return a.index === b.index && a.before === b.before && a.person === b.person && a.agent === b.agent;
}
