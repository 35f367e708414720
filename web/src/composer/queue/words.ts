/** The words of a prompt that waits, what came with it, and the same prompt with other words. */
import { Problem } from "../../api/client.js";
import { pageHeaders } from "../../api/page-key.js";
import type { Block, MediaBlock } from "../../session/shape.js";
import { texts } from "../../texts/texts.js";

type Media = { type: "image" | "audio" | "document"; media_type: string; data: string; name: string };
type Parts = string | ({ type: "text"; text: string } | Media)[];

export function wordsOf(content: Block[]): string {
  return content.flatMap((block) => (block.type === "text" ? [block.text] : [])).join("");
}

export function mediaOf(content: Block[]): MediaBlock[] {
  return content.filter(
    (block): block is MediaBlock =>
      block.type === "image" || block.type === "audio" || block.type === "document",
  );
}

/** A prompt of these words and what comes with them. `blobs` is where the server keeps what is too large for the log. */
export async function written(text: string, media: MediaBlock[], blobs: string): Promise<Parts> {
  const words = text.trim();
  if (!media.length) return words;
  const whole = await Promise.all(media.map((block) => filled(block, blobs)));
  return words ? [{ type: "text", text: words }, ...whole] : whole;
}

async function filled({ type, media_type, data, name, blob }: MediaBlock, blobs: string): Promise<Media> {
  return { type, media_type, name: name ?? "", data: data || (await fetched(`${blobs}/${blob}`)) };
}

async function fetched(path: string): Promise<string> {
  const answer = await fetch(path, { credentials: "same-origin", headers: pageHeaders() }).catch(() => null);
  if (!answer?.ok) throw new Problem(answer?.status ?? 0, "blob", texts.composer.attachedGone);
  const bytes = new Uint8Array(await answer.arrayBuffer());
  let said = "";
  for (let at = 0; at < bytes.length; at += 32_768)
    said += String.fromCharCode(...bytes.subarray(at, at + 32_768));
  return btoa(said);
}
