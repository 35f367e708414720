/**
 * How well words fit what is sought, from 0 (not at all) to 1. Each sought word must be found: at a beginning best, inside
 * a word less, and as letters in order only where they lie close together.
 */
export function fits(sought: string, words: string[]): number {
  const text = words.join(" ").toLowerCase();
  const parts = sought.toLowerCase().split(/\s+/).filter(Boolean);
  return parts.reduce((score, part) => score * scoreOf(part, text), 1);
}

function scoreOf(part: string, text: string): number {
  const at = text.indexOf(part);
  if (at === 0) return 1;
  if (at > 0) return /[\s/._:-]/.test(text[at - 1] ?? "") || text.includes(` ${part}`) ? 0.9 : 0.6;
  return part.length > 2 ? 0.4 * closeness(part, text) : 0;
}

/** Letters in order: how much of the stretch that they need they are; 0 where that is less than half. */
function closeness(part: string, text: string): number {
  let best = 0;
  for (let start = text.indexOf(part[0] ?? ""); start >= 0; start = text.indexOf(part[0] ?? "", start + 1)) {
    let at = start;
    for (const letter of part.slice(1)) {
      at = text.indexOf(letter, at + 1);
      if (at < 0) break;
    }
    // From any later beginning there is even less to find them in.
    if (at < 0) break;
    best = Math.max(best, part.length / (at - start + 1));
  }
  return best >= 0.5 ? best : 0;
}
