/** Which words of two lines differ. */

export interface Range {
  from: number;
  to: number;
}
const WORD = /[\p{L}\p{N}_]+|\s+|[^\p{L}\p{N}_\s]/gu;
const MOST = 160;
/** With less in common the lines have nothing to do with one another, and marks would be noise. */
const ALIKE = 0.35;

/** The ranges that are only in the one, and only in the other; null where marks would not help. */
export function differing(before: string, after: string): { before: Range[]; after: Range[] } | null {
  if (before.length > 2_000 || after.length > 2_000) return null;
  const old = before.match(WORD) ?? [];
  const now = after.match(WORD) ?? [];
  if (!old.length || !now.length || old.length > MOST || now.length > MOST) return null;
  const [keptOld, keptNow] = common(old, now);
  const same = old.reduce((sum, word, n) => sum + (keptOld[n] && word.trim() ? word.length : 0), 0);
  const longest = Math.max(before.trim().length, after.trim().length, 1);
  if (same / longest < ALIKE) return null;
  return { before: rangesOf(old, keptOld), after: rangesOf(now, keptNow) };
}

/** The longest common subsequence, as marks on both. */
function common(old: string[], now: string[]): [boolean[], boolean[]] {
  const width = now.length + 1;
  const best = new Uint16Array((old.length + 1) * width);
  for (let i = old.length - 1; i >= 0; i--) {
    for (let j = now.length - 1; j >= 0; j--) {
      best[i * width + j] =
        old[i] === now[j]
          ? best[(i + 1) * width + j + 1]! + 1
          : Math.max(best[(i + 1) * width + j]!, best[i * width + j + 1]!);
    }
  }
  const keptOld = old.map(() => false);
  const keptNow = now.map(() => false);
  for (let i = 0, j = 0; i < old.length && j < now.length; ) {
    if (old[i] === now[j]) {
      keptOld[i++] = true;
      keptNow[j++] = true;
    } else if (best[(i + 1) * width + j]! >= best[i * width + j + 1]!) i++;
    else j++;
  }
  return [keptOld, keptNow];
}

/** What is not kept, neighbours joined (also over a single space between them). */
function rangesOf(words: string[], kept: boolean[]): Range[] {
  const found: Range[] = [];
  let at = 0;
  words.forEach((word, n) => {
    const last = found.at(-1);
    if (!kept[n]) {
      if (last && last.to === at) last.to += word.length;
      else found.push({ from: at, to: at + word.length });
    } else if (last && last.to === at && !word.trim() && kept[n + 1] === false) last.to += word.length;
    at += word.length;
  });
  return found;
}
