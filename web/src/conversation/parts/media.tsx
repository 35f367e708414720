/** Pictures as thumbnails, other media by name; all of it from the log or from where the session keeps it. */
import { FileAudio, FileText } from "lucide-react";
import type { MediaBlock } from "../../session/shape.js";
import { useSession, useStudio } from "../../studio/context.js";
import { texts } from "../../texts/texts.js";
import { blobPath } from "../tools/blob.js";
import { useFetched } from "./fetched.js";

/** What a browser may show as a picture; anything else, SVG too, is only named. */
const SHOWN = new Set(["image/png", "image/jpeg", "image/gif", "image/webp"]);

export function Media({ blocks }: { blocks: MediaBlock[] }) {
  if (!blocks.length) return null;
  return (
    <div className="flex flex-wrap gap-2">
      {blocks.map((block, n) => (
        <One key={n} block={block} />
      ))}
    </div>
  );
}

function One({ block }: { block: MediaBlock }) {
  const words = texts.conversation.media;
  const studio = useStudio();
  const { sessionId } = useSession();
  const name = block.name || words[block.type];
  const path = !block.data && block.blob ? blobPath(studio.root, sessionId, block.blob) : "";
  const address = block.data ? `data:${block.media_type};base64,${block.data}` : path;
  const shown = useFetched(path);
  if (block.type === "image" && SHOWN.has(block.media_type) && address) {
    const picture = (
      <img
        src={block.data ? address : shown}
        alt={name}
        loading="lazy"
        className="max-h-40 max-w-full rounded-control border border-line"
      />
    );
    if (block.data) return picture;
    return (
      <a href={address} target="_blank" rel="noopener noreferrer" aria-label={words.open(name)}>
        {picture}
      </a>
    );
  }
  const Icon = block.type === "audio" ? FileAudio : FileText;
  return (
    <span className="inline-flex items-center gap-1.5 rounded-control border border-line px-2 py-1 text-xs text-ink-2">
      <Icon size={14} aria-hidden />
      {name}
      {!address && ` ${words.missing}`}
    </span>
  );
}
