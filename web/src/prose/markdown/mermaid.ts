/** Mermaid, which draws in the page itself before there is a picture: so a source that could fetch something while it is
 * drawn is refused, and only its strictest setting is used. Heavy: only `diagram.tsx` loads it. */
import mermaid from "mermaid";
import { texts } from "../../texts/texts.js";

const LONGEST = 20_000;
/** What makes a browser fetch: styles with addresses (also written with escapes), pictures in shapes, markup, settings. */
const REACHES =
  /url\s*\(|@import|image-set|\bsrc\s*\(|\bimg\s*:|\bicon\s*:|\$sprite|\$link|<\s*(?!br\s*\/?>|-|\|)[a-z!/?]|%%\s*\{|themeCSS|fontFamily/i;
const ESCAPED = /^\s*(?:style|classDef|linkStyle)\b.*\\/m;

/** What a diagram does when it is pressed: a picture can't be, and the library would write it into the page. */
const PRESSED = /^[ \t]*(?:click[ \t]|callback[ \t]|(?:links?|properties|details)[ \t]+[^:\n]*:).*$/gm;

let last = 0;
let turn: Promise<unknown> = Promise.resolve();

/** The picture as SVG text; throws what is wrong with it. One after the other: the library has one set of settings. */
export function draw(source: string, theme: string): Promise<string> {
  const mine = turn.then(() => drawn(source, theme));
  turn = mine.catch(() => undefined);
  return mine;
}

function reaches(source: string): boolean {
  return REACHES.test(source) || ESCAPED.test(source) || /^\s*---\s*\n/.test(source);
}

async function drawn(source: string, theme: string): Promise<string> {
  if (source.length > LONGEST || reaches(source)) throw new Error(texts.prose.reaches);
  mermaid.initialize({
    startOnLoad: false,
    securityLevel: "strict",
    suppressErrorRendering: true,
    htmlLabels: false,
    flowchart: { htmlLabels: false },
    maxTextSize: LONGEST,
    theme: "base",
    darkMode: theme === "dark",
    themeVariables: colours(theme),
    secure: ["secure", "securityLevel", "startOnLoad", "maxTextSize", "themeCSS", "htmlLabels", "fontFamily"],
  });
  const id = `diagram-${++last}`;
  try {
    const { svg } = await mermaid.render(id, source.replace(PRESSED, ""));
    return wellFormed(svg);
  } finally {
    document.getElementById(id)?.remove();
    document.getElementById(`d${id}`)?.remove();
  }
}

/** The same picture as XML, which an image needs; read in a document that loads nothing. */
function wellFormed(svg: string): string {
  const found = new DOMParser().parseFromString(svg, "text/html").querySelector("svg");
  if (!found) throw new Error(texts.prose.notDrawn);
  for (const odd of found.querySelectorAll("script, foreignObject, image, a, use[href^='http']"))
    odd.remove();
  const [, , width, height] = (found.getAttribute("viewBox") ?? "").split(/[\s,]+/);
  if (width && height) {
    found.setAttribute("width", width);
    found.setAttribute("height", height);
  }
  return new XMLSerializer().serializeToString(found);
}

function colours(theme: string): Record<string, string | boolean> {
  const style = getComputedStyle(document.documentElement);
  const token = (name: string) => style.getPropertyValue(`--${name}`).trim() || "#888888";
  return {
    darkMode: theme === "dark",
    background: token("surface"),
    primaryColor: token("sunken"),
    primaryTextColor: token("ink"),
    primaryBorderColor: token("edge"),
    secondaryColor: token("ground"),
    tertiaryColor: token("surface"),
    lineColor: token("ink-2"),
    textColor: token("ink"),
    mainBkg: token("sunken"),
    nodeBorder: token("edge"),
    clusterBkg: token("ground"),
    clusterBorder: token("line"),
    edgeLabelBackground: token("surface"),
    actorBkg: token("sunken"),
    actorBorder: token("edge"),
    actorTextColor: token("ink"),
    actorLineColor: token("edge"),
    signalColor: token("ink-2"),
    signalTextColor: token("ink"),
    labelBoxBkgColor: token("sunken"),
    labelBoxBorderColor: token("edge"),
    labelTextColor: token("ink"),
    loopTextColor: token("ink"),
    noteBkgColor: token("sunken"),
    noteBorderColor: token("edge"),
    noteTextColor: token("ink"),
    dropShadow: "none",
    fontSize: "14px",
  };
}
