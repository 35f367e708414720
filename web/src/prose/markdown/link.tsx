/** Links and images of somebody else's text. A link shows where it leads and opens only by a press; an image from
 * elsewhere is such a link. */
import { ImageIcon, ImageOff } from "lucide-react";
import { createContext, type ReactNode, useContext, useState } from "react";
import { texts } from "../../texts/texts.js";
import { claimedHost, imageSource, linkAddress } from "./address.js";
import { pathOf, useProjectPicture } from "./of-project.js";

/** A link holds no other. */
const InLink = createContext(false);

/** `words` is the text that stands on it, to see whether it claims to lead somewhere else. */
export function Link({ href, words, children }: { href: string; words: string; children: ReactNode }) {
  const inside = useContext(InLink);
  const address = inside ? null : linkAddress(href);
  if (inside) return children;
  if (!address) return <span title={texts.prose.notOpened(href.slice(0, 300))}>{children}</span>;
  const claimed = claimedHost(words);
  const lies = claimed !== null && claimed !== hostOf(address.href);
  return (
    <>
      <a
        href={address.href}
        title={texts.prose.leadsTo(address.href.slice(0, 300))}
        target="_blank"
        rel="noopener noreferrer"
      >
        <InLink value>{children}</InLink>
      </a>
      {lies && <span className="text-care"> ({texts.prose.leads(address.host)})</span>}
    </>
  );
}

/** The host of an address as words would name it. */
function hostOf(href: string): string {
  return new URL(href).hostname.replace(/^www\./, "");
}

export function Picture({ href, alt }: { href: string; alt: string }) {
  const [broken, setBroken] = useState(false);
  const inside = useContext(InLink);
  const path = pathOf(href);
  const own = useProjectPicture(path);
  const source = path === null ? imageSource(href) : own;
  // It is on its way, and its words stand for it.
  if (source === "") return <span className="prose-chip">{alt || texts.prose.image}</span>;
  if (source && !broken) {
    return (
      <img
        src={source}
        alt={alt || texts.prose.image}
        loading="lazy"
        decoding="async"
        className="my-1 max-h-120 max-w-full rounded-control"
        onError={() => setBroken(true)}
      />
    );
  }
  const address = source || path !== null ? null : linkAddress(href);
  return (
    <span className="prose-chip">
      {address ? <ImageIcon size={12} aria-hidden /> : <ImageOff size={12} aria-hidden />}
      {alt && <span>{alt}</span>}
      {address && inside ? (
        <span>{texts.prose.imageAt(address.host)}</span>
      ) : address ? (
        <a
          href={address.href}
          title={texts.prose.leadsTo(address.href.slice(0, 300))}
          target="_blank"
          rel="noopener noreferrer"
        >
          {texts.prose.imageAt(address.host)}
        </a>
      ) : (
        <span className="text-ink-3">{texts.prose.imageBroken}</span>
      )}
    </span>
  );
}
