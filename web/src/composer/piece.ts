/** What goes with the words of a prompt: long texts, pictures, documents; and how all of it becomes a prompt. */
import type { Content } from "../session/store.js";

export interface TextPiece {
  kind: "text";
  id: string;
  /** The name of a file; empty: it was pasted. */
  name: string;
  text: string;
}
export interface MediaPiece {
  kind: "image" | "document";
  id: string;
  name: string;
  mediaType: string;
  /** Base64. */
  data: string;
}
export type Piece = TextPiece | MediaPiece;

export interface Draft {
  text: string;
  pieces: Piece[];
}

export const NOTHING: Draft = { text: "", pieces: [] };

/** Bytes of a prompt as it is sent. The server takes a body of 1 MB. */
export const MOST = 900_000;
/** Pasted text that is longer becomes a piece of its own. */
export const LONG = 5_000;

/** The prompt: trimmed; null if there is nothing to say. */
export function contentOf({ text, pieces }: Draft): Content | null {
  const words = [text.trim(), ...pieces.flatMap((piece) => (piece.kind === "text" ? [written(piece)] : []))]
    .filter(Boolean)
    .join("\n\n");
  const media = pieces.flatMap((piece) =>
    piece.kind === "text"
      ? []
      : [{ type: piece.kind, media_type: piece.mediaType, data: piece.data, name: piece.name.slice(0, 200) }],
  );
  if (!media.length) return words || null;
  return words ? [{ type: "text", text: words }, ...media] : media;
}

/** What was written, of a prompt that could not be sent: the way back from `contentOf`. */
export function draftOf(content: Content): Draft {
  if (typeof content === "string") return { text: content, pieces: [] };
  const text = content.flatMap((part) => (part.type === "text" ? [part.text] : [])).join("\n\n");
  const pieces = content.flatMap((part): Piece[] => {
    if (part.type !== "image" && part.type !== "document") return [];
    const { media_type: mediaType, data, name = "" } = part;
    return [{ kind: part.type, id: crypto.randomUUID(), name, mediaType, data }];
  });
  return { text, pieces };
}

/** Bytes that it takes in a request. */
export function sizeOf(content: Content | null): number {
  return content === null ? 0 : new TextEncoder().encode(JSON.stringify(content)).length;
}

function written({ name, text }: TextPiece): string {
  return name ? `${name}:\n\n${text.trimEnd()}` : text.trimEnd();
}
