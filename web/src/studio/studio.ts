/**
 * The studio of this page: one client, its tabs, and the transcript of each.
 *
 * Tabs are the person's, not the page's: another page, or the same one after a reload, finds them. While the page is
 * seen every tab is followed; while it is hidden none is, and each goes on from where it was.
 */
import { Client, type Http, Problem, type State } from "../api/client.js";
import type { Schema } from "../api/http.js";
import { signedOut } from "../api/leaving.js";
import { isKeyed, ticketLinks } from "../api/page-key.js";
import { SessionStore } from "../session/store.js";
import { keep, kept } from "./kept.js";
import { Watch } from "./watch.js";

export interface Tab {
  id: string;
  store: SessionStore;
}

interface Tabs {
  list: Tab[];
  /** The id of the one that is shown; empty: none, a new one is begun. */
  active: string;
}

type Wish = Pick<Schema<"InNewTab">, "project_id" | "container" | "agent" | "model" | "mode">;
/** A file as tools name it: from the folder of the session, or from the root of the machine. */
interface Opening {
  path: string;
  /** From 1. */
  line?: number;
}

export class Studio {
  readonly connection = new Watch<State>("connecting");
  /** The server said that it ends. */
  readonly stopping = new Watch(false);
  readonly tabs = new Watch<Tabs>({ list: [], active: "" });
  /** What the next session is to be begun with. */
  readonly wish = new Watch<Wish>({});
  /** Words that some other part of the page puts into the composer, to send at once or to be gone over. */
  readonly proposed = new Watch<{ text: string; send: boolean } | null>(null);
  /** A file that some part of the page wants shown beside the conversation. */
  readonly opened = new Watch<Opening | null>(null);
  /** False until the tabs that were open before are known. */
  readonly ready = new Watch(false);
  readonly client: Client;
  readonly http: Http;

  constructor(readonly root: string = here()) {
    const wasSignedIn = isKeyed();
    this.client = new Client(
      { address: root },
      {
        events: (tabId, rows) => this.tab(tabId)?.store.take(rows),
        state: (state) => {
          this.connection.set(state);
          if (state !== "open") return;
          this.stopping.set(false);
          for (const { store } of this.tabs.value.list) store.again();
        },
        signedOut: () => wasSignedIn && signedOut(root),
        frame: (frame) => {
          if (frame.type === "stopping") this.stopping.set(true);
          if (frame.type === "session-ended") this.drop(frame.tab_id);
          if (frame.type === "worker-exited") this.tab(frame.tab_id)?.store.workerGone.set(true);
          if (frame.type === "worker-restarted") this.tab(frame.tab_id)?.store.workerGone.set(false);
        },
      },
    );
    this.http = this.client.http;
  }

  /** Connect, and find the tabs that were open. */
  async start(): Promise<void> {
    this.client.open();
    ticketLinks();
    document.addEventListener("visibilitychange", () => this.seen(!document.hidden));
    addEventListener("offline", () => this.client.cut());
    addEventListener("online", () => this.client.hurry());
    const order = kept<string[]>("tabs", []);
    const before = kept<string | null>("active", kept<string | null>("active", null), "window");
    const found = (await this.client.ask({ type: "restore", tabs: [] })) as Schema<"OutTabs">;
    const place = (id: string) => (order.includes(id) ? order.indexOf(id) : order.length);
    const places = new Map(found.tabs.map(({ tab_id, session_id }) => [session_id, place(tab_id)]));
    const rank = (tab: Tab) => places.get(tab.store.sessionId) ?? order.length;
    const restored = this.unopened(found.tabs);
    // What somebody opened while this was asked for stays, in front, and where its session stood in the row.
    const { list: early, active } = this.tabs.value;
    // Somebody who comes with another browser comes to the same place: the newest tab.
    const last = before ?? found.tabs.at(-1)?.tab_id ?? "";
    const wanted = active || (restored.some((tab) => tab.id === last) ? last : "");
    this.put({ list: [...restored, ...early].sort((a, b) => rank(a) - rank(b)), active: wanted });
    this.ready.set(true);
    await Promise.all(restored.map((tab) => tab.store.open()));
  }

  tab(id: string): Tab | undefined {
    return this.tabs.value.list.find((tab) => tab.id === id);
  }

  get active(): Tab | undefined {
    return this.tab(this.tabs.value.active);
  }

  show(id: string): void {
    this.put({ ...this.tabs.value, active: id });
  }

  /** Show a session: in its tab, or in a new one. */
  async openSession(sessionId: string): Promise<Tab> {
    const known = this.tabs.value.list.find((tab) => tab.store.sessionId === sessionId);
    if (known) {
      this.show(known.id);
      return known;
    }
    const tab = this.made(crypto.randomUUID(), sessionId, "");
    this.add(tab);
    await tab.store.open();
    return tab;
  }

  /** Begin a session in a tab of its own. */
  async newSession(wish: Wish): Promise<Tab> {
    const created = await this.client.newTab(wish);
    const tab = this.made(created.tab_id, created.session_id, "");
    this.add(tab);
    await tab.store.open();
    return tab;
  }

  async closeTab(id: string): Promise<void> {
    this.drop(id);
    // One that the server does not know is closed: its session is gone.
    await this.client.closeTab(id).catch((error: unknown) => {
      if (!(error instanceof Problem) || error.code !== "not_found") throw error;
    });
  }

  moveTab(id: string, place: number): void {
    const { list, active } = this.tabs.value;
    const moved = list.filter((tab) => tab.id !== id);
    const tab = this.tab(id);
    if (tab) moved.splice(place, 0, tab);
    this.put({ list: moved, active });
  }

  /** Tabs of before whose sessions are not shown here already; a second tab of such a one is closed. */
  private unopened(found: Schema<"OutTabs">["tabs"]): Tab[] {
    const early = this.tabs.value.list;
    return found.flatMap(({ tab_id, session_id, title }) => {
      const shown = early.find((tab) => tab.store.sessionId === session_id);
      if (shown && shown.id !== tab_id) void this.client.closeTab(tab_id).catch(() => {});
      return shown ? [] : [this.made(tab_id, session_id, title)];
    });
  }

  private made(id: string, sessionId: string, title: string): Tab {
    return { id, store: new SessionStore(this.client, id, sessionId, title) };
  }

  private add(tab: Tab): void {
    this.put({ list: [...this.tabs.value.list, tab], active: tab.id });
  }

  private drop(id: string): void {
    const { list, active } = this.tabs.value;
    const place = list.findIndex((tab) => tab.id === id);
    if (place < 0) return;
    const rest = list.filter((tab) => tab.id !== id);
    const next = rest[Math.min(place, rest.length - 1)]?.id ?? "";
    this.put({ list: rest, active: active === id ? next : active });
  }

  private put(tabs: Tabs): void {
    this.tabs.set(tabs);
    if (!this.ready.value && !tabs.list.length) return;
    keep(
      "tabs",
      tabs.list.map((tab) => tab.id),
    );
    keep("active", tabs.active);
    keep("active", tabs.active, "window");
  }

  private seen(now: boolean): void {
    if (now) this.client.hurry();
    for (const tab of this.tabs.value.list)
      void (now ? this.client.show(tab.id) : this.client.hide(tab.id)).catch(() => {});
  }
}

/** Where this page's server is: its origin and base path, without a slash at the end. */
export function here(): string {
  return document.baseURI.replace(/[?#].*$/, "").replace(/\/$/, "");
}
