/** Colours for code. The languages are loaded when a first code asks for one; until then, and for what is unknown or
 * huge, code is plain. A `Painter` follows a text that grows: what was painted before is not painted again. */
import { useEffect, useState } from "react";

export interface Span {
  text: string;
  /** `tok-…` of `prose.css`; empty for plain text. */
  className: string;
}

/** Paints a text, or one that starts with the text before. */
export interface Painter {
  read(code: string): void;
  /** The spans of a part of what was read. */
  paint(from: number, to: number): Span[];
}

/** More is shown plain: reading it would take longer than a look. */
export const MOST_PAINTED = 300_000;

/** A painter for a language by its name (`python`, `ts`) or by a path (`src/main.rs`); null if it is not known. */
export async function painter(language: string): Promise<Painter | null> {
  if (!/^[\w+#./ -]{1,200}$/.test(language)) return null;
  const { painterOf } = await import("./code/languages.js");
  return painterOf(language);
}

/** The spans of each line, for whoever shows lines: diffs, viewers. Null while it is loading or if it is not known. */
export async function highlightLines(code: string, language: string): Promise<Span[][] | null> {
  if (code.length > MOST_PAINTED) return null;
  const found = await painter(language).catch(() => null);
  if (!found) return null;
  found.read(code);
  return linesOf(found.paint(0, code.length));
}

/** Spans cut at their line ends. */
function linesOf(spans: Span[]): Span[][] {
  const lines: Span[][] = [[]];
  for (const { text, className } of spans) {
    const parts = text.split("\n");
    parts.forEach((part, n) => {
      if (n) lines.push([]);
      if (part) lines.at(-1)!.push({ text: part, className });
    });
  }
  return lines;
}

/** A painter of its own for this view, as soon as it is there. */
export function usePainter(language: string | undefined, wanted = true): Painter | null {
  const [found, setFound] = useState<{ language: string; painter: Painter | null } | null>(null);
  useEffect(() => {
    if (!language || !wanted) return;
    let here = true;
    void painter(language)
      .catch(() => null)
      .then((got) => here && setFound({ language, painter: got }));
    return () => {
      here = false;
    };
  }, [language, wanted]);
  return wanted && found && found.language === language ? found.painter : null;
}

/** The lines of a code with their colours, as soon as they are there. */
export function useHighlightedLines(code: string, language: string | undefined): Span[][] | null {
  const [found, setFound] = useState<{ code: string; lines: Span[][] | null } | null>(null);
  useEffect(() => {
    if (!language) return;
    let here = true;
    void highlightLines(code, language).then((lines) => here && setFound({ code, lines }));
    return () => {
      here = false;
    };
  }, [code, language]);
  return found && found.code === code ? found.lines : null;
}
