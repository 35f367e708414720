/** The colours of a terminal, made of the page's tokens. */
import type { ITheme } from "@xterm/xterm";

function themeOf(tokens: (name: string) => string): ITheme {
  const [ink, ground] = [tokens("--ink"), tokens("--surface")];
  const red = tokens("--bad");
  const green = tokens("--good");
  const yellow = tokens("--care");
  const blue = tokens("--note");
  const magenta = mixed(red, blue);
  const cyan = mixed(green, blue);
  const bright = (colour: string) => mixed(colour, ink, 0.25);
  return {
    foreground: ink,
    background: ground,
    cursor: tokens("--accent"),
    cursorAccent: ground,
    selectionBackground: mixed(tokens("--accent"), ground, 0.7),
    selectionInactiveBackground: tokens("--line"),
    black: ink,
    brightBlack: tokens("--ink-3"),
    white: tokens("--ink-2"),
    brightWhite: ink,
    red,
    green,
    yellow,
    blue,
    magenta,
    cyan,
    brightRed: bright(red),
    brightGreen: bright(green),
    brightYellow: bright(yellow),
    brightBlue: bright(blue),
    brightMagenta: bright(magenta),
    brightCyan: bright(cyan),
  };
}

export function currentTheme(): ITheme {
  const style = getComputedStyle(document.documentElement);
  return themeOf((name) => style.getPropertyValue(name).trim());
}

/** Two colours as `#rrggbb`, with so much of the second. */
export function mixed(a: string, b: string, share = 0.5): string {
  const parts = [1, 3, 5].map((at) => {
    const [x, y] = [a, b].map((colour) => Number.parseInt(colour.slice(at, at + 2), 16) || 0);
    return Math.round((x ?? 0) * (1 - share) + (y ?? 0) * share)
      .toString(16)
      .padStart(2, "0");
  });
  return `#${parts.join("")}`;
}
