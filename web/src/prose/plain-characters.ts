/** Characters that can't be seen or pretend to be others: what each is called, and where they stand in a text. */
// biome-ignore-all lint/suspicious/noMisleadingCharacterClass: each is looked for alone

const NAMES = new Map<number, string>([
  [0x00, "null"],
  [0x07, "bell"],
  [0x08, "backspace"],
  [0x0b, "vertical tab"],
  [0x0c, "form feed"],
  [0x0d, "carriage return"],
  [0x1b, "escape"],
  [0x7f, "delete"],
  [0x85, "next line"],
  [0xa0, "no-break space"],
  [0xad, "soft hyphen"],
  [0x034f, "combining grapheme joiner"],
  [0x061c, "Arabic letter mark"],
  [0x115f, "Hangul filler"],
  [0x1160, "Hangul filler"],
  [0x1680, "Ogham space"],
  [0x17b4, "invisible vowel"],
  [0x17b5, "invisible vowel"],
  [0x180e, "Mongolian vowel separator"],
  [0x200b, "zero width space"],
  [0x200c, "zero width non-joiner"],
  [0x200d, "zero width joiner"],
  [0x200e, "left-to-right mark"],
  [0x200f, "right-to-left mark"],
  [0x2028, "line separator"],
  [0x2029, "paragraph separator"],
  [0x202a, "left-to-right embedding"],
  [0x202b, "right-to-left embedding"],
  [0x202c, "pop direction"],
  [0x202d, "left-to-right override"],
  [0x202e, "right-to-left override"],
  [0x202f, "narrow no-break space"],
  [0x205f, "mathematical space"],
  [0x2060, "word joiner"],
  [0x2061, "function application"],
  [0x2062, "invisible times"],
  [0x2063, "invisible separator"],
  [0x2064, "invisible plus"],
  [0x2066, "left-to-right isolate"],
  [0x2067, "right-to-left isolate"],
  [0x2068, "first strong isolate"],
  [0x2069, "pop isolate"],
  [0x2800, "blank Braille"],
  [0x3000, "ideographic space"],
  [0x3164, "Hangul filler"],
  [0xfeff, "zero width no-break space"],
  [0xffa0, "Hangul filler"],
  [0xfffc, "object replacement"],
]);

/** Nothing is to be seen of these, whatever a font has: all of Unicode's own, and signs that are blank. */
const UNSEEN = String.raw`\p{C}\p{Z}\p{Default_Ignorable_Code_Point}\u2800\ufffc\u{1d159}\u{13441}\u{13442}\u{16fe4}`;
const IS_UNSEEN = new RegExp(`^[${UNSEEN}]$`, "u");
const HAS_UNSEEN = new RegExp(`[${UNSEEN}]`, "u");

/** What a hidden character is called; null if it can be seen. */
function hiddenName(point: number): string | null {
  const character = String.fromCodePoint(point);
  if (character === " " || character === "\n" || character === "\t" || !IS_UNSEEN.test(character))
    return null;
  const name = NAMES.get(point);
  if (name) return name;
  if (/\p{Variation_Selector}/u.test(character)) return "variation selector";
  if (/\p{Z}/u.test(character)) return "odd space";
  if (/\p{Cc}/u.test(character)) return "control character";
  if (/\p{Cs}/u.test(character)) return "half a character";
  if (/\p{Co}/u.test(character)) return "private character";
  if (point >= 0xfff9 && point <= 0xfffb) return "annotation mark";
  if (point >= 0xe0000 && point <= 0xe007f) return "tag character";
  if (/\p{Cf}/u.test(character)) return "format character";
  return /\p{Cn}/u.test(character) ? "unassigned character" : "invisible character";
}

export const codeOf = (point: number) => `U+${point.toString(16).toUpperCase().padStart(4, "0")}`;

export type Part =
  | { kind: "text"; text: string }
  | { kind: "hidden"; point: number; name: string; times: number }
  | { kind: "mixed"; text: string; scripts: string }
  | { kind: "trailing"; text: string }
  /** So much of nothing that it moves what follows out of sight; `of` says of what. */
  | { kind: "gap"; text: string; of: "lines" | "spaces"; times: number; hidden?: number };

/** Marks that may stand on one letter; more of them are piled up to run over what stands above or below. */
const MARKS = 2;
const PILED = /\p{M}{3}/u;

/** So many spaces, as so many empty lines (four), are counted instead of shown. */
const SPACES = 64;

/** Four lines with nothing to be seen; blanks; a word; piled marks; a character that is not seen. */
const FIND = new RegExp(
  [
    `(\\n(?:(?:(?!\\n)[${UNSEEN}])*\\n){4,})`,
    "([ \\t]+)",
    "([\\p{L}\\p{N}_][\\p{L}\\p{M}\\p{N}_]*)",
    "(\\p{M}{3,})",
    `((?!\\n)[${UNSEEN}])`,
  ].join("|"),
  "gu",
);

/** A text in parts: what is plain, and what is marked. */
export function partsOf(text: string): Part[] {
  const parts: Part[] = [];
  let from = 0;
  for (const found of text.matchAll(FIND)) {
    const marked = markOf(found, text);
    if (!marked.length) continue;
    if (found.index > from) parts.push({ kind: "text", text: text.slice(from, found.index) });
    for (const part of marked) add(parts, part);
    from = found.index + found[0].length;
  }
  if (from < text.length) parts.push({ kind: "text", text: text.slice(from) });
  return parts;
}

function add(parts: Part[], part: Part): void {
  const last = parts.at(-1);
  if (part.kind === "hidden" && last?.kind === "hidden" && last.point === part.point) last.times++;
  else if (part.kind === "text" && last?.kind === "text") last.text += part.text;
  else parts.push(part);
}

function markOf(found: RegExpExecArray | RegExpMatchArray, text: string): Part[] {
  const [whole, empty, spaces, word, piled] = found;
  if (empty) return markOfLines(empty);
  if (spaces) return markOfSpaces(spaces, text[found.index! + spaces.length]);
  if (word) return markOfWord(word);
  if (piled) return apart(piled);
  const point = whole.codePointAt(0)!;
  const name = hiddenName(point);
  if (!name || joinsPicture(point, text, found.index!)) return [];
  return [{ kind: "hidden", point, name, times: 1 }];
}

function markOfLines(empty: string): Part[] {
  const hidden = [...empty].filter((each) => hiddenName(each.codePointAt(0)!)).length;
  return [{ kind: "gap", text: empty, of: "lines", times: empty.split("\n").length - 2, hidden }];
}

function markOfSpaces(spaces: string, next: string | undefined): Part[] {
  if (spaces.length >= SPACES) return [{ kind: "gap", text: spaces, of: "spaces", times: spaces.length }];
  return next === undefined || next === "\n" ? [{ kind: "trailing", text: spaces }] : [];
}

/** A text on one line, for places that mark nothing: what is hidden in it stands there by its code. */
export function onOneLine(text: string): string {
  return partsOf(text)
    .map((part) =>
      part.kind === "hidden" ? `‹${codeOf(part.point)}›` : part.kind === "gap" ? " " : part.text,
    )
    .join("");
}

/** A joiner or a selector inside an emoji is what it looks like; one that joins nothing is not. */
function joinsPicture(point: number, text: string, at: number): boolean {
  const before = text.slice(Math.max(0, at - 3), at);
  const after = text.slice(at + 1, at + 3);
  if (point === 0xfe0f)
    return /\p{Extended_Pictographic}$/u.test(before) || (/[#*]$/.test(before) && after.startsWith("\u20e3"));
  return (
    point === 0x200d &&
    /[\p{Extended_Pictographic}\p{Emoji_Modifier}]\ufe0f?$/u.test(before) &&
    /^\p{Extended_Pictographic}/u.test(after)
  );
}

/** Letters of these look like Latin ones; a word of both is a trick more often than a word. */
const ALIKE = [
  ["Cyrillic", /\p{Script=Cyrillic}/u],
  ["Greek", /\p{Script=Greek}/u],
  ["Armenian", /\p{Script=Armenian}/u],
  ["Cherokee", /\p{Script=Cherokee}/u],
  ["Coptic", /\p{Script=Coptic}/u],
  ["Lisu", /\p{Script=Lisu}/u],
] as const;
/** Letters that nobody can tell from Latin ones. */
const TWINS = /^[асеорхуіјѕԁһԛԝАВЕКМНОРСТХІЈЅοΑΒΕΖΗΙΚΜΝΟΡΤΥΧⅰⅴⅹⅼⅽⅾⅿ0-9_]+$/u;
/** Latin letters in disguise: full width, and those of formulas. */
const DISGUISED = /[\uff01-\uff5e\u{1d400}-\u{1d7ff}]/u;

/** A digit on a key. */
const KEYCAP = /(?<=\d)\ufe0f(?=\u20e3)/gu;

function markOfWord(word: string): Part[] {
  const hidden = HAS_UNSEEN.test(word.replace(KEYCAP, ""));
  if (hidden || PILED.test(word)) return apart(word);
  if (DISGUISED.test(word)) return [{ kind: "mixed", text: word, scripts: "disguised Latin" }];
  const scripts = ALIKE.filter(([, letters]) => letters.test(word)).map(([name]) => name as string);
  if (!scripts.length) return [];
  if (/\p{Script=Latin}/u.test(word))
    return [{ kind: "mixed", text: word, scripts: ["Latin", ...scripts].join(", ") }];
  if (scripts.length > 1 || (TWINS.test(word) && /\p{L}/u.test(word))) {
    return [{ kind: "mixed", text: word, scripts: scripts.join(", ") }];
  }
  return [];
}

/** A word with hidden characters inside, or with marks piled up, in its parts. */
function apart(word: string): Part[] {
  const parts: Part[] = [];
  let marks = 0;
  for (const letter of word) {
    const point = letter.codePointAt(0)!;
    marks = /\p{M}/u.test(letter) ? marks + 1 : 0;
    const name = hiddenName(point) ?? (marks > MARKS ? "mark on a mark" : null);
    add(parts, name ? { kind: "hidden", point, name, times: 1 } : { kind: "text", text: letter });
  }
  return parts;
}
