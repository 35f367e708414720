/** KaTeX with its style and fonts: heavy, so only `formula.tsx` loads it. */
import katex from "katex";
import "katex/dist/katex.min.css";

/** Draw into an element; false if this is no formula. */
export function draw(tex: string, place: HTMLElement, display: boolean): boolean {
  try {
    katex.render(tex, place, {
      displayMode: display,
      throwOnError: true,
      trust: false,
      strict: "ignore",
      maxSize: 20,
      maxExpand: 300,
      output: "htmlAndMathml",
    });
    return true;
  } catch {
    place.replaceChildren();
    return false;
  }
}
