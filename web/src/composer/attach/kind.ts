/** What a file that is pasted or dropped becomes: part of the prompt, or a file of the project. */

type Kind = "image" | "document" | "text" | "large" | "binary";

const TEXTUAL = /^text\/|^application\/(?:json|xml|javascript|x-sh|toml|x-yaml|yaml|sql)\b|\+(?:json|xml)\b/;
/** Bytes in which a text has no zero. */
const LOOK = 8_192;

/** `left`: the bytes that the prompt still takes. */
export async function kindOf(file: File, left: number): Promise<Kind> {
  if (file.type.startsWith("image/") && !file.type.includes("svg")) return "image";
  if (file.type === "application/pdf") return file.size * 1.4 < left ? "document" : "large";
  if (!TEXTUAL.test(file.type) && !(await looksLikeText(file))) return "binary";
  return file.size < left ? "text" : "large";
}

async function looksLikeText(file: File): Promise<boolean> {
  const bytes = new Uint8Array(await file.slice(0, LOOK).arrayBuffer());
  if (bytes.includes(0)) return false;
  try {
    // A character may be cut at the end of the look.
    new TextDecoder("utf-8", { fatal: true }).decode(bytes, { stream: true });
    return true;
  } catch {
    return false;
  }
}

/** The name of a file for what was pasted: of the time, so that the next has another. */
export function pastedName(now: Date = new Date()): string {
  return `pasted-${now.toISOString().slice(0, 19).replace(/[-:]/g, "").replace("T", "-")}.txt`;
}
