/** Where a link or an image may lead. Everything else is only text. */
const OPENED = new Set(["http:", "https:", "mailto:"]);

interface Address {
  href: string;
  /** As it is read: the host, or the mail address. */
  host: string;
}

/** The address of a link that a press may open; null for `javascript:`, relative ones and all that is odd. */
export function linkAddress(href: string): Address | null {
  const wanted = href.trim();
  // biome-ignore lint/suspicious/noControlCharactersInRegex: these hide what an address is
  if (!/^[a-z][a-z+.-]*:/i.test(wanted) || /[\u0000-\u0020\u007f-\u009f]/.test(wanted)) return null;
  try {
    const url = new URL(wanted);
    // What a model says sends nobody to the server's own routes as whoever is signed in.
    if (!OPENED.has(url.protocol) || url.origin === location.origin) return null;
    const host = url.protocol === "mailto:" ? decoded(url.pathname) : url.host;
    return host ? { href: url.href, host } : null;
  } catch {
    return null;
  }
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

const PICTURE = /^data:image\/(?:png|jpeg|gif|webp|avif|svg\+xml)(?:;charset=[\w-]+)?(?:;base64)?,/i;

/** What an image may be shown from: itself, or this very server below the page's own address. */
export function imageSource(href: string): string | null {
  const wanted = href.trim();
  if (PICTURE.test(wanted)) return wanted;
  try {
    const here = new URL(".", document.baseURI);
    const url = new URL(wanted, here);
    const inside = url.origin === here.origin && url.pathname.startsWith(here.pathname);
    return inside && /^https?:$/.test(url.protocol) ? url.href : null;
  } catch {
    return null;
  }
}

/** The host that a link's own words claim, if they look like an address or hold one: `bank.example` for
 * "https://bank.example/x", and for "Sign in at https://bank.example". */
export function claimedHost(words: string): string | null {
  const plain = words
    .normalize("NFKC")
    .replace(/\p{Cf}/gu, "")
    .trim();
  const found =
    /^((?:[\p{L}\p{N}_-]{1,63}\.){1,20}\p{L}{2,24})(?::\d+)?(?:[/?#]\S*)?$/u.exec(plain) ??
    /(?:https?:\/\/|\bwww\.)([\p{L}\p{N}_.-]{1,253})/iu.exec(plain);
  return found ? found[1]!.toLowerCase().replace(/^www\.|\.+$/g, "") : null;
}
