/** How a piece of output looks: what SGR codes say, reduced to what can be read on our grounds. */

/** A number below 16 is one of the sixteen; a text is a hue: `chroma hue` of oklch, whose lightness is the theme's. */
export type Colour = number | string;

export interface Style {
  fg?: Colour | undefined;
  bg?: Colour | undefined;
  bold?: boolean;
  dim?: boolean;
  italic?: boolean;
  underline?: boolean;
  strike?: boolean;
  inverse?: boolean;
  link?: string | undefined;
}

export const PLAIN: Style = {};

const ON: Record<number, Partial<Style>> = {
  1: { bold: true },
  2: { dim: true },
  3: { italic: true },
  4: { underline: true },
  7: { inverse: true },
  9: { strike: true },
  21: { underline: true },
  22: { bold: false, dim: false },
  23: { italic: false },
  24: { underline: false },
  27: { inverse: false },
  29: { strike: false },
  39: { fg: undefined },
  49: { bg: undefined },
};

/** The style after an SGR sequence with these parameters (`1;31`, `38:5:208`). */
export function styled(style: Style, parameters: string): Style {
  let next = style;
  const codes = parameters.split(";").slice(0, 64);
  for (let n = 0; n < codes.length; n++) {
    const [first, ...parts] = codes[n]!.split(":").map(Number) as [number, ...number[]];
    if (first === 0 || Number.isNaN(first)) next = next.link ? { link: next.link } : PLAIN;
    else if (first === 38 || first === 48) {
      const given = parts.length ? parts : codes.slice(n + 1, n + 5).map(Number);
      const [colour, used] = wide(given, parts.length > 0);
      if (!parts.length) n += used;
      if (colour !== undefined) next = { ...next, [first === 38 ? "fg" : "bg"]: colour };
    } else next = narrow(next, first, parts);
  }
  return next;
}

function narrow(style: Style, code: number, parts: number[]): Style {
  if (code === 4 && parts[0] === 0) return { ...style, underline: false };
  const on = Object.hasOwn(ON, code) ? ON[code] : undefined;
  if (on) return { ...style, ...on };
  if (code >= 30 && code <= 37) return { ...style, fg: code - 30 };
  if (code >= 90 && code <= 97) return { ...style, fg: code - 82 };
  if (code >= 40 && code <= 47) return { ...style, bg: code - 40 };
  if (code >= 100 && code <= 107) return { ...style, bg: code - 92 };
  return style;
}

/** `5;n` or `2;r;g;b` (with colons a colour space may stand before them), and how many codes that took. */
function wide(codes: number[], colons: boolean): [Colour | undefined, number] {
  const byte = (n: number | undefined) => Math.max(0, Math.min(255, Math.trunc(n ?? 0) || 0));
  if (codes[0] === 5) return [indexed(byte(codes[1])), 2];
  if (codes[0] !== 2) return [undefined, 0];
  const [r, g, b] = codes.slice(colons && codes.length > 4 ? 2 : 1);
  return [hue(byte(r), byte(g), byte(b)), 4];
}

function indexed(n: number): Colour {
  if (n < 16) return n;
  if (n >= 232) return grey((n - 232) / 23);
  const step = (part: number) => (part ? 55 + part * 40 : 0);
  const place = n - 16;
  return hue(step(Math.floor(place / 36)), step(Math.floor(place / 6) % 6), step(place % 6));
}

const grey = (light: number): Colour => (light < 0.35 ? 8 : light < 0.75 ? 7 : 15);

/** A colour by its hue and some of its strength. How light it is the theme decides, so that it can be read. */
export function hue(red: number, green: number, blue: number): Colour {
  const [r, g, b] = [red, green, blue].map(linear) as [number, number, number];
  const l = Math.cbrt(0.4122214708 * r + 0.5363325363 * g + 0.0514459929 * b);
  const m = Math.cbrt(0.2119034982 * r + 0.6806995451 * g + 0.1073969566 * b);
  const s = Math.cbrt(0.0883024619 * r + 0.2817188376 * g + 0.6299787005 * b);
  const light = 0.2104542553 * l + 0.793617785 * m - 0.0040720468 * s;
  const a = 1.9779984951 * l - 2.428592205 * m + 0.4505937099 * s;
  const c = 0.0259040371 * l + 0.7827717662 * m - 0.808675766 * s;
  const chroma = Math.hypot(a, c);
  if (chroma < 0.03) return grey(light);
  const angle = (Math.atan2(c, a) * 180) / Math.PI;
  return `${Math.min(chroma, 0.11).toFixed(3)} ${Math.round((angle + 360) % 360)}`;
}

function linear(byte: number): number {
  const part = byte / 255;
  return part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4;
}
