/** Notifications of the system: only after a press of a button that says so, and while nothing was taken back. */
import { keep, kept } from "./kept.js";
import { useWatch, Watch } from "./watch.js";

type Notifying = "unasked" | "on" | "off" | "refused" | "impossible";

function now(): Notifying {
  if (typeof Notification === "undefined" || !isSecureContext) return "impossible";
  if (Notification.permission === "denied") return "refused";
  const chosen = kept<boolean | null>("notify", null);
  if (chosen === null) return "unasked";
  return chosen && Notification.permission === "granted" ? "on" : "off";
}

const state = new Watch<Notifying>(now());

export function useNotifying() {
  return {
    state: useWatch(state),
    /** Whether it is on then: the browser asks the person, too. */
    async allow(): Promise<boolean> {
      if ((await Notification.requestPermission()) === "granted") keep("notify", true);
      state.set(now());
      return state.value === "on";
    },
    refuse() {
      keep("notify", false);
      state.set(now());
    },
  };
}

/** Say it outside of the page; a press leads to where it is. */
export function notify(title: string, body: string, tag: string, open: () => void): void {
  if (state.value !== "on") return;
  const shown = new Notification(title, { body, tag, icon: new URL("icon.svg", document.baseURI).href });
  shown.onclick = () => {
    window.focus();
    open();
    shown.close();
  };
}
