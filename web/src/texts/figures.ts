/** Times, sizes, counts and money as they are read: rounded, with their unit. */
const LANGUAGE = "en";
const count = new Intl.NumberFormat(LANGUAGE);
const compact = new Intl.NumberFormat(LANGUAGE, { notation: "compact", maximumFractionDigits: 1 });
const clock = new Intl.DateTimeFormat(LANGUAGE, { hour: "2-digit", minute: "2-digit", hourCycle: "h23" });
const day = new Intl.DateTimeFormat(LANGUAGE, { day: "numeric", month: "short" });
const exact = new Intl.DateTimeFormat(LANGUAGE, {
  dateStyle: "medium",
  timeStyle: "medium",
  hourCycle: "h23",
});

export const number = (n: number) => count.format(n);
/** A count with its noun: 1 line, 2,001 lines. */
export const plural = (n: number, one: string, many = `${one}s`) => `${number(n)} ${n === 1 ? one : many}`;
export const short = (n: number) => compact.format(n);
export const time = (at: number) => clock.format(at);
export const moment = (at: number) => exact.format(at);

/** How long: 0.1 s, 12 s, 3 min 5 s. */
export function duration(ms: number): string {
  if (ms < 9_950) return `${(ms / 1000).toFixed(1)} s`;
  const seconds = Math.round(ms / 1000);
  if (seconds < 60) return `${seconds} s`;
  const minutes = Math.floor(seconds / 60);
  if (minutes < 60) return seconds % 60 ? `${minutes} min ${seconds % 60} s` : `${minutes} min`;
  return `${Math.floor(minutes / 60)} h ${minutes % 60} min`;
}

/** How long ago: now, 2 min, 5 h; from a day on the date. */
export function ago(at: number, now: number = Date.now()): string {
  const minutes = Math.floor((now - at) / 60_000);
  if (minutes < 1) return "now";
  if (minutes < 60) return `${minutes} min`;
  if (minutes < 24 * 60) return `${Math.floor(minutes / 60)} h`;
  return day.format(at);
}

/** Micro-USD as money: $0.03, and not $0.00 for what did cost something. */
export function money(micro: number | null): string {
  if (micro === null) return "?";
  if (micro === 0) return "$0";
  const dollars = micro / 1_000_000;
  if (dollars < 0.01) return "<$0.01";
  return `$${dollars.toFixed(2)}`;
}

/** Prices in US dollars for a million tokens, in and out. */
export function dollars(input: number | null, output: number | null): string {
  return `${input === null ? "?" : `$${input}`} / ${output === null ? "?" : `$${output}`}`;
}

export function bytes(size: number): string {
  if (size < 1000) return `${size} B`;
  const units = ["kB", "MB", "GB", "TB"];
  let n = size;
  let unit = -1;
  while (n >= 999.5 && unit < units.length - 1) {
    n /= 1000;
    unit++;
  }
  return `${n < 10 ? n.toFixed(1) : Math.round(n)} ${units[unit]}`;
}
