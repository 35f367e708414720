/** Reads what is too large for the log, piece by piece, from where the session keeps it. */
import { Problem } from "../../api/client.js";
import { pageHeaders } from "../../api/page-key.js";

export interface Piece {
  text: string;
  /** Where it begins: after the place that was asked for, if what lies between was not kept. */
  start: number;
  next: number;
  size: number;
}

/** Bytes of one piece. */
export const PIECE = 256_000;

/** Where a blob is read. */
export function blobPath(root: string, sessionId: string, blob: string): string {
  return `${root}/api/sessions/${encodeURIComponent(sessionId)}/blobs/${encodeURIComponent(blob)}`;
}

/** Where what a command printed is read. */
export function outputPath(root: string, sessionId: string, outputId: string): string {
  return `${root}/api/sessions/${encodeURIComponent(sessionId)}/outputs/${encodeURIComponent(outputId)}`;
}

export async function pieceOf(path: string, offset: number, signal?: AbortSignal): Promise<Piece> {
  const init: RequestInit = { credentials: "same-origin", headers: pageHeaders() };
  if (signal) init.signal = signal;
  const answer = await fetch(`${path}?offset=${offset}&limit=${PIECE}`, init);
  if (!answer.ok)
    throw new Problem(answer.status, "blob", `The server answered with status ${answer.status}.`);
  const bytes = new Uint8Array(await answer.arrayBuffer());
  const start = Number(answer.headers.get("X-Start")) || offset;
  const next = Number(answer.headers.get("X-Next")) || offset + bytes.length;
  const size = Number(answer.headers.get("X-Size")) || (bytes.length < PIECE ? next : next + 1);
  return { text: new TextDecoder().decode(bytes), start, next, size };
}

/** All of it, if it is not too large for a page. */
export async function wholeOf(path: string, most: number, signal?: AbortSignal): Promise<string> {
  const init: RequestInit = { credentials: "same-origin", headers: pageHeaders() };
  if (signal) init.signal = signal;
  const answer = await fetch(`${path}?limit=${most}`, init);
  if (!answer.ok)
    throw new Problem(answer.status, "blob", `The server answered with status ${answer.status}.`);
  // A part of it would tell of a change that nobody made.
  if (Number(answer.headers.get("X-Size")) > most) throw new Problem(0, "large", "");
  return await answer.text();
}
