/**
 * A session as this page has it: its end at once, older pages as they are asked for, and then all that comes.
 *
 * What arrives between two frames of the screen is folded together and drawn once.
 */
import { type Client, Problem, type Row } from "../api/client.js";
import type { Schema } from "../api/http.js";
import { Watch } from "../studio/watch.js";
import { EMPTY, type Sending, type Transcript } from "./shape.js";
import { Builder } from "./transcript.js";
import { type Content, unsent, type Wishes, wordsOf } from "./unsent.js";

export type { Content, Wishes } from "./unsent.js";
export type About = Schema<"SessionShape">;
export type Word = Omit<Schema<"InAnswer">, "type" | "tab_id">;

/** Facts of the first view: about a screen. */
const FIRST = 50;
/** Facts of each older page: so many are drawn within one frame's patience. */
const PAGE = 80;
/** How long until what the server did not take is sent once more. */
const AGAIN = 3_000;

export class SessionStore {
  readonly view = new Watch<Transcript>(EMPTY);
  readonly about = new Watch<About | null>(null);
  readonly state = new Watch<"loading" | "ready" | "gone" | "failed">("loading");
  /** Why it could not be opened. */
  readonly problem = new Watch<Problem | null>(null);
  /** There are older facts than those that are loaded. */
  readonly more = new Watch(false);
  readonly sending = new Watch<Sending[]>([]);
  /** The process that ran it is gone; it is taken over. */
  readonly workerGone = new Watch(false);
  private builder = new Builder();
  private rows: Row[] = [];
  private fresh: Row[] = [];
  private frame = 0;
  private paging: Promise<void> | undefined;

  constructor(
    readonly client: Client,
    readonly tabId: string,
    readonly sessionId: string,
    readonly knownTitle: string,
  ) {}

  private get path() {
    return { session_id: this.sessionId };
  }

  /** Read the end of what was said, then follow. */
  async open(): Promise<void> {
    this.state.set("loading");
    this.problem.set(null);
    try {
      const { tail, ...about } = await this.client.http.get("/api/sessions/{session_id}", {
        path: this.path,
        query: { limit: FIRST },
      });
      this.about.set(about);
      this.rows = tail.events as Row[];
      // What came before is in the tail, or comes again after it.
      this.fresh = [];
      this.more.set(tail.more);
      this.rebuild(EMPTY);
      this.state.set("ready");
      this.recall();
      await this.client.newTab({ tab_id: this.tabId, session_id: this.sessionId, after: tail.cursor });
    } catch (error) {
      this.problem.set(error instanceof Problem ? error : new Problem(0, "unreachable", String(error)));
      this.state.set(error instanceof Problem && error.status === 404 ? "gone" : "failed");
    }
  }

  /** One page more of what came before; resolves when it is on the screen. */
  older(): Promise<void> {
    this.paging ??= this.page().finally(() => {
      this.paging = undefined;
    });
    return this.paging;
  }

  /** Events of the socket, in order, each once. */
  take(rows: Row[]): void {
    this.fresh.push(...rows);
    this.frame ||= requestFrame(() => this.flush());
  }

  /** Draw now what waits for the next frame. */
  flush(): void {
    this.frame = 0;
    const rows = this.fresh;
    this.fresh = [];
    if (!rows.length) return;
    this.rows = this.builder.take(rows) ? keptOf([...this.rows, ...rows]) : [...this.rows, ...rows];
    this.publish();
  }

  /** Say something: it stands on the screen at once, and is kept until the server has it. */
  async prompt(
    content: Content,
    wishes: Wishes = {},
    messageId: string = crypto.randomUUID(),
  ): Promise<void> {
    const sending = { messageId, at: Date.now(), text: wordsOf(content), problem: "", content, wishes };
    this.sending.set([...this.sending.value.filter((each) => each.messageId !== messageId), sending]);
    unsent.add(this.sessionId, { messageId, content, wishes });
    try {
      const body = { message_id: messageId, content, ...wishes } as Schema<"NewPrompt">;
      const said = await this.client.http.post("/api/sessions/{session_id}/prompts", {
        path: this.path,
        body,
      });
      unsent.drop(this.sessionId, messageId);
      if (said?.repeated) this.forget(messageId);
    } catch (error) {
      const problem = error instanceof Problem ? error.message : String(error);
      const later = !(error instanceof Problem) || [0, 408, 429, 502, 503, 504].includes(error.status);
      this.sending.set(
        this.sending.value.map((each) => (each.messageId === messageId ? { ...each, problem, later } : each)),
      );
      if (later) setTimeout(() => this.again(messageId), AGAIN);
      throw error;
    }
  }

  /** Send once more what the server did not take; its id makes that safe. Without a name: all that may go now. */
  again(messageId = ""): void {
    for (const { messageId: id, problem, later, content, wishes } of this.sending.value)
      if (content !== undefined && problem && (messageId ? id === messageId : later))
        this.prompt(content, wishes, id).catch(() => {});
  }

  /** Take a prompt that could not be sent off the screen. */
  forget(messageId: string): void {
    unsent.drop(this.sessionId, messageId);
    this.sending.set(this.sending.value.filter((each) => each.messageId !== messageId));
  }

  /** Stop what runs, or take back what waits. */
  cancel(messageId: string = this.view.value.running): Promise<unknown> {
    return this.client.cancel(this.tabId, messageId);
  }

  answer(word: Word): Promise<unknown> {
    return this.client.answer({ ...word, tab_id: this.tabId });
  }

  /** Change its title, mode, model or agent. */
  async change(change: Schema<"SessionChange">): Promise<void> {
    this.about.set(
      await this.client.http.patch("/api/sessions/{session_id}", { path: this.path, body: change }),
    );
  }

  /** What the server says of it now. */
  async refresh(): Promise<void> {
    const { tail: _, ...about } = await this.client.http.get("/api/sessions/{session_id}", {
      path: this.path,
      query: { limit: 1 },
    });
    this.about.set(about);
  }

  /** What an earlier page of this session could not send goes now. */
  private recall(): void {
    const known = new Set(this.sending.value.map((each) => each.messageId));
    for (const { messageId, content, wishes } of unsent.of(this.sessionId))
      if (!known.has(messageId)) this.prompt(content, wishes, messageId).catch(() => {});
  }

  private async page(): Promise<void> {
    const before = this.rows[0]?.[0];
    if (!this.more.value || !before) return;
    const page = await this.client.http.get("/api/sessions/{session_id}/tail", {
      path: this.path,
      query: { before, limit: PAGE },
    });
    this.flush();
    this.rows = [...(page.events as Row[]), ...this.rows];
    this.more.set(page.more);
    this.rebuild(this.view.value);
  }

  /** Fold all that is loaded anew; what looks the same stays the same object. */
  private rebuild(before: Transcript): void {
    this.builder = new Builder();
    this.builder.take(this.rows);
    this.builder.reuse(before);
    this.publish();
  }

  private publish(): void {
    const view = this.builder.snapshot();
    const logged = this.builder.logged;
    if (this.sending.value.some((each) => logged.has(each.messageId)))
      this.sending.set(this.sending.value.filter((each) => !logged.has(each.messageId)));
    this.view.set(view);
  }
}

/** Without the pieces of what is whole by now: that stands in its answer or result. */
function keptOf(rows: Row[]): Row[] {
  const last = rows.findLastIndex(([, event]) => event.type === "assistant_message");
  const done = new Set(rows.map(([, event]) => (event.type === "tool_result" ? event.data?.tool_id : "")));
  return rows.filter(([, event], n) => {
    if (event.type === "tool_output_delta") return !done.has(event.data?.tool_id);
    return n > last || !["text_delta", "reasoning_delta", "input_json_delta"].includes(event.type);
  });
}

/** Before the next frame; a page that is hidden has none, and reads on all the same. */
function requestFrame(draw: () => void): number {
  if (typeof document !== "undefined" && document.hidden) return setTimeout(draw, 100) as unknown as number;
  return requestAnimationFrame(draw);
}
