/** The words of a prompt that waits, and the same prompt with other words. */
import type { Block } from "../../session/shape.js";

type Media = { type: "image" | "audio" | "document"; media_type: string; data: string; name: string };
type Parts = string | ({ type: "text"; text: string } | Media)[];

export function wordsOf(content: Block[]): string {
  return content.flatMap((block) => (block.type === "text" ? [block.text] : [])).join("");
}

export function attachedTo(content: Block[]): number {
  return content.filter((block) => block.type !== "text").length;
}

/** What came with it can only be sent again where the page has it; a large one is the server's. */
export function isWhole(content: Block[]): boolean {
  return content.every((block) => block.type === "text" || ("data" in block && Boolean(block.data)));
}

export function withText(content: Block[], text: string): Parts {
  const media = content.flatMap((block): Media[] =>
    block.type === "image" || block.type === "audio" || block.type === "document"
      ? [{ type: block.type, media_type: block.media_type, data: block.data ?? "", name: block.name ?? "" }]
      : [],
  );
  if (!media.length) return text.trim();
  return text.trim() ? [{ type: "text", text: text.trim() }, ...media] : media;
}
