/**
 * A client of a Bottega server: typed calls (`http`), and one socket for all tabs.
 *
 * The socket comes back by itself, with a new ticket and the last index that each tab has seen: whatever is cut off in
 * between, a tab is given each event once and in order. What was asked for and not answered is asked again; the ids that
 * the client makes (`tab_id`, `message_id`) make that safe.
 */

import { Http, type Place, Problem, type Schema } from "./http.js";
import { toJson } from "./json-text.js";
import { Shells } from "./shells.js";

export { Http, type Place, Problem, type Schema } from "./http.js";

export type StoredEvent = Schema<"KnownEvent">;
export type Row = [index: number, event: StoredEvent];
export type FrameIn = Schema<"FrameIn">;
export type FrameOut =
  | Schema<"FrameOut">
  | { type: "events"; tab_id: string; session_id: string; events: Row[]; trimmed?: [number, number] }
  | { type: "heartbeat" }
  | { type: "stopping" }
  | { type: "worker-exited" | "worker-restarted"; tab_id: string; session_id: string; message_id?: string };
type Answer = FrameOut & { ref?: string | number };
export type State = "connecting" | "open" | "lost" | "closed";

interface Listener {
  /** Events of a tab that were not given before, in order. */
  events?(tabId: string, rows: Row[], sessionId: string): void;
  state?(state: State): void;
  /** Nobody is signed in here, or not any more. */
  signedOut?(): void;
  /** Everything else that the server says by itself. */
  frame?(frame: FrameOut): void;
}

interface Tab {
  /** What opened it: said again if the server does not know it any more. */
  opening: Extract<FrameIn, { type: "new-tab" }>;
  lastSeen: number;
  hidden: boolean;
}

interface Waiting {
  frame: FrameIn;
  resolve(answer: FrameOut): void;
  reject(problem: Error): void;
}

/** A client that hears nothing for so long connects again. */
const SILENCE = 15_000;
const FIRST = 200;
const MOST = 5_000;

export class Client {
  readonly http: Http;
  /** Terminals that are watched. */
  readonly shells = new Shells(this);
  private socket: WebSocket | undefined;
  private tabs = new Map<string, Tab>();
  private waiting = new Map<string, Waiting>();
  private refs = 0;
  /** Which try to connect counts: what an older one still comes to is nobody's. */
  private attempt = 0;
  private delay = FIRST;
  private silence: ReturnType<typeof setTimeout> | undefined;
  private retry: ReturnType<typeof setTimeout> | undefined;
  private state: State = "connecting";

  constructor(
    readonly place: Place,
    private listener: Listener = {},
  ) {
    this.http = new Http(place);
  }

  /** Connect, and stay connected until `close`. */
  open(): void {
    void this.connect();
  }

  close(): void {
    this.become("closed");
    clearTimeout(this.retry);
    this.drop();
    for (const each of this.waiting.values()) each.reject(new Error("The client was closed."));
    this.waiting.clear();
  }

  /** The network is gone: what may still look open is not waited for. */
  cut(): void {
    if (this.state !== "closed") this.lose();
  }

  /** The network is back, or somebody looks: do not wait for the next try. */
  hurry(): void {
    if (this.state !== "lost") return;
    clearTimeout(this.retry);
    this.drop();
    this.delay = FIRST;
    void this.connect();
  }

  /** Open a tab on a new session, or on one that exists; `after` is the last index that it has seen. */
  async newTab(wish: Partial<Tab["opening"]> = {}): Promise<Schema<"OutSessionCreated">> {
    const opening = { ...wish, type: "new-tab" as const, tab_id: wish.tab_id ?? crypto.randomUUID() };
    this.tabs.set(opening.tab_id, { opening, lastSeen: wish.after ?? 0, hidden: false });
    const created = (await this.ask(opening)) as Schema<"OutSessionCreated">;
    opening.session_id = created.session_id;
    return created;
  }

  /** Tabs that were open before this client began, with the last index that each has seen. */
  async restore(seen: { tab_id: string; last_seen: number }[]): Promise<Schema<"OutTabs">> {
    for (const { tab_id, last_seen } of seen) {
      this.tabs.set(tab_id, { opening: { type: "new-tab", tab_id }, lastSeen: last_seen, hidden: false });
    }
    const found = (await this.ask({ type: "restore", tabs: seen })) as Schema<"OutTabs">;
    for (const { tab_id, session_id } of found.tabs) {
      const tab = this.tabs.get(tab_id);
      if (tab) tab.opening.session_id = session_id;
    }
    for (const tab_id of found.gone) this.tabs.delete(tab_id);
    return found;
  }

  prompt(
    tab_id: string,
    text: string,
    more: { message_id?: string; steer?: boolean; model?: string; agent?: string } = {},
  ) {
    const message_id = more.message_id ?? crypto.randomUUID();
    return this.ask({ ...more, type: "prompt", tab_id, message_id, text }) as Promise<Schema<"OutAccepted">>;
  }

  cancel(tab_id: string, message_id: string) {
    return this.ask({ type: "cancel", tab_id, message_id }) as Promise<Schema<"OutCancelled">>;
  }

  answer(answer: Omit<Extract<FrameIn, { type: "answer" }>, "type">) {
    return this.ask({ ...answer, type: "answer" }) as Promise<Schema<"OutAnswered">>;
  }

  async hide(tab_id: string): Promise<void> {
    const tab = this.tabs.get(tab_id);
    if (tab) tab.hidden = true;
    await this.ask({ type: "hidden", tab_id });
  }

  async show(tab_id: string): Promise<void> {
    const tab = this.tabs.get(tab_id);
    if (tab) tab.hidden = false;
    await this.ask({ type: "visible", tab_id, last_seen: tab?.lastSeen ?? 0 });
  }

  async closeTab(tab_id: string): Promise<void> {
    this.tabs.delete(tab_id);
    await this.ask({ type: "close-tab", tab_id });
  }

  /** The last index that a tab has seen: what a page keeps for the time after it was loaded again. */
  lastSeen(tab_id: string): number {
    return this.tabs.get(tab_id)?.lastSeen ?? 0;
  }

  /** Say a frame, again after each lost connection, until it is answered. */
  ask(frame: FrameIn): Promise<FrameOut> {
    const ref = `r${++this.refs}`;
    return new Promise((resolve, reject) => {
      this.waiting.set(ref, { frame, resolve, reject });
      this.send(ref, frame);
    });
  }

  /** Say a frame once; false: nobody hears it now. */
  tell(frame: FrameIn): boolean {
    if (this.state !== "open" || !this.socket) return false;
    this.socket.send(JSON.stringify(frame));
    return true;
  }

  private send(ref: string, frame: FrameIn): void {
    if (this.state === "open") this.socket?.send(toJson({ ...this.current(frame), ref }));
  }

  /** What is said again is said as of now: a cursor may have moved since. */
  private current(frame: FrameIn): FrameIn {
    if (frame.type === "visible") return { ...frame, last_seen: this.lastSeen(frame.tab_id) };
    if (frame.type === "new-tab") return { ...frame, after: this.lastSeen(frame.tab_id) };
    if (frame.type !== "restore") return frame;
    return {
      ...frame,
      tabs: (frame.tabs ?? []).map(({ tab_id }) => ({ tab_id, last_seen: this.lastSeen(tab_id) })),
    };
  }

  private async connect(): Promise<void> {
    const attempt = ++this.attempt;
    const counts = () => attempt === this.attempt;
    this.listen();
    try {
      const { ticket } = await this.http.post("/api/tickets");
      if (!counts()) return;
      const address = this.place.address || globalThis.location.origin;
      const socket = new WebSocket(`${address.replace(/^http/, "ws")}/ws/${ticket}`);
      this.socket = socket;
      socket.onopen = () => counts() && this.opened(socket);
      socket.onmessage = (message) => counts() && this.hear(String(message.data));
      socket.onclose = () => counts() && this.lose();
      this.listen();
    } catch (error) {
      if (!counts()) return;
      // Somebody who is not signed in stays so, however often it is tried.
      if (error instanceof Problem && (error.status === 401 || error.status === 403)) {
        this.close();
        if (error.status === 401) this.listener.signedOut?.();
        return;
      }
      this.lose();
    }
  }

  private opened(socket: WebSocket): void {
    this.delay = FIRST;
    this.become("open");
    const shown = [...this.tabs].filter(([, tab]) => !tab.hidden && tab.opening.session_id);
    if (shown.length) {
      const tabs = shown.map(([tab_id, tab]) => ({ tab_id, last_seen: tab.lastSeen }));
      socket.send(JSON.stringify({ type: "restore", tabs }));
    }
    for (const [ref, { frame }] of this.waiting) this.send(ref, frame);
    this.shells.again();
  }

  private lose(): void {
    this.drop();
    clearTimeout(this.retry);
    if (this.state === "closed") return;
    this.become("lost");
    this.shells.lost();
    this.retry = setTimeout(() => void this.connect(), this.delay * (0.75 + Math.random() / 2));
    this.delay = Math.min(MOST, this.delay * 2);
  }

  private drop(): void {
    this.attempt++;
    clearTimeout(this.silence);
    const socket = this.socket;
    this.socket = undefined;
    socket?.close();
  }

  private listen(): void {
    clearTimeout(this.silence);
    this.silence = setTimeout(() => this.lose(), SILENCE);
  }

  private hear(text: string): void {
    this.listen();
    const frame = JSON.parse(text) as Answer;
    if (frame.type === "events") this.take(frame.tab_id, frame.session_id, frame.events);
    else if (frame.ref !== undefined) this.settle(String(frame.ref), frame);
    else if (frame.type === "shell-output" || frame.type === "shell-ended") this.shells.hear(frame);
    else if (frame.type !== "heartbeat") this.listener.frame?.(frame);
    if (frame.type === "session-ended") this.tabs.delete(frame.tab_id);
  }

  /** Give a tab what it has not seen: what comes twice, because a cursor was on its way, is dropped. */
  private take(tabId: string, sessionId: string, rows: Row[]): void {
    const tab = this.tabs.get(tabId);
    if (!tab) return;
    const fresh = rows.filter(([index]) => index > tab.lastSeen);
    if (!fresh.length) return;
    tab.lastSeen = fresh[fresh.length - 1]![0];
    this.listener.events?.(tabId, fresh, sessionId);
  }

  private settle(ref: string, frame: Answer): void {
    const waiting = this.waiting.get(ref);
    this.waiting.delete(ref);
    if (frame.type === "error") waiting?.reject(new Problem(0, frame.code, frame.detail, frame.hint));
    else waiting?.resolve(frame);
  }

  private become(state: State): void {
    if (this.state === state) return;
    this.state = state;
    this.listener.state?.(state);
  }
}
