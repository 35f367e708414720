/**
 * The screen of one shell, a chunk of its own. What it prints is shown as it comes; what was printed before it was
 * looked at is shown again, but the answers that a terminal gives to such old words are not typed a second time.
 */
import "@xterm/xterm/css/xterm.css";
import { FitAddon } from "@xterm/addon-fit";
import { Terminal } from "@xterm/xterm";
import { useEffect, useRef } from "react";
import { useStudio } from "../../studio/context.js";
import { bytes } from "../../texts/figures.js";
import { texts } from "../../texts/texts.js";
import { say } from "../../ui/toasts.js";
import { keyed } from "./keys.js";
import { currentTheme } from "./theme.js";

export interface Hand {
  focus(): void;
  type(text: string): void;
  paste(text: string): void;
  selection(): string;
}

interface ScreenProps {
  projectId: string;
  shellId: string;
  name: string;
  /** Its size is somebody else's: an agent's. */
  foreign: boolean;
  reader: boolean;
  onHand(hand: Hand | null): void;
  onState(state: "attached" | "lost" | "gone"): void;
  onEnded(exitCode: number | null): void;
  onLeave(): void;
}

const FONT =
  'ui-monospace, "JetBrains Mono", "SF Mono", "Cascadia Mono", "DejaVu Sans Mono", Menlo, Consolas, monospace';

export default function Screen(props: ScreenProps) {
  const { projectId, shellId, name, foreign, reader } = props;
  const { shells } = useStudio().client;
  const place = useRef<HTMLDivElement>(null);
  const made = useRef<Terminal | null>(null);
  const now = useRef(props);
  now.current = props;

  useEffect(() => {
    const terminal = new Terminal({
      fontFamily: FONT,
      fontSize: 13,
      lineHeight: 1.2,
      scrollback: 5_000,
      cursorBlink: false,
      theme: currentTheme(),
      screenReaderMode: now.current.reader,
      minimumContrastRatio: 4.5,
    });
    made.current = terminal;
    const fit = new FitAddon();
    terminal.loadAddon(fit);
    terminal.open(place.current!);
    terminal.textarea?.setAttribute("aria-label", texts.beside.terminal.screen(now.current.name));
    let old = 0;
    const type = (text: string) => {
      // Answers of a terminal begin with Escape; letters of somebody's meanwhile are no such answers.
      if ((old && text.startsWith("\x1b")) || shells.type(projectId, shellId, text)) return;
      say(texts.beside.terminal.notTyped, { bad: true });
    };
    terminal.onData(type);
    terminal.attachCustomKeyEventHandler(keyed(terminal, () => now.current.onLeave()));
    terminal.onResize(({ cols, rows }) => !foreign && shells.resize(projectId, shellId, cols, rows));
    const stop = shells.watch(projectId, shellId, {
      printed(text, missed, before) {
        if (missed) terminal.write(`\r\n\x1b[2m[${texts.beside.terminal.missed(bytes(missed))}]\x1b[0m\r\n`);
        if (!before) terminal.write(text);
        else {
          old++;
          terminal.write(text, () => old--);
        }
      },
      ended(exitCode) {
        terminal.options.disableStdin = true;
        terminal.write("\x1b[?25l");
        now.current.onEnded(exitCode);
      },
      state(state) {
        now.current.onState(state);
        if (state === "attached" && !foreign) shells.resize(projectId, shellId, terminal.cols, terminal.rows);
      },
    });
    now.current.onHand({
      focus: () => terminal.focus(),
      type,
      paste: (text) => terminal.paste(text),
      selection: () => terminal.getSelection(),
    });
    const unfit = fitted(place.current!, fit);
    return () => {
      now.current.onHand(null);
      unfit();
      stop();
      terminal.dispose();
      made.current = null;
    };
  }, [shells, projectId, shellId, foreign]);

  useEffect(() => {
    if (made.current) made.current.options.screenReaderMode = reader;
  }, [reader]);
  useEffect(() => {
    made.current?.textarea?.setAttribute("aria-label", texts.beside.terminal.screen(name));
  }, [name]);
  useEffect(() => {
    const themed = new MutationObserver(() => {
      if (made.current) made.current.options.theme = currentTheme();
    });
    themed.observe(document.documentElement, { attributeFilter: ["data-theme"] });
    return () => themed.disconnect();
  }, []);
  return <div ref={place} className="min-h-0 min-w-0 flex-1 overflow-hidden" />;
}

/** As large as its place, and again whenever that changes; not while it is not seen. */
function fitted(place: HTMLElement, fit: FitAddon): () => void {
  let frame = 0;
  const seen = new ResizeObserver(() => {
    cancelAnimationFrame(frame);
    frame = requestAnimationFrame(() => place.clientWidth && place.clientHeight && fit.fit());
  });
  seen.observe(place);
  return () => {
    cancelAnimationFrame(frame);
    seen.disconnect();
  };
}
