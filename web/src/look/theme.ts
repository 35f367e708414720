/**
 * Light, dark, or as the system says, live. `public/theme.js` does the same before anything is painted; both read the
 * same word, which is kept as it is.
 */
import { keepText, keptText } from "../api/kept.js";
import { Watch } from "../studio/watch.js";

export const THEMES = ["system", "light", "dark"] as const;
export type Theme = (typeof THEMES)[number];

const NAME = "theme";
const system = () => matchMedia("(prefers-color-scheme: dark)");

function kept(): Theme {
  return THEMES.find((each) => each === keptText(NAME)) ?? "system";
}

export const theme = new Watch<Theme>(kept());

export function choose(next: Theme): void {
  keepText(NAME, next);
  theme.set(next);
  paint();
}

/** From what is light to what is dark, and back. */
export function switchTheme(): void {
  choose(document.documentElement.dataset.theme === "dark" ? "light" : "dark");
}

/** Follow the system, and what is chosen in another page of this browser, for as long as the page lives. */
export function follow(): void {
  system().addEventListener("change", paint);
  addEventListener("storage", (event) => {
    if (event.key !== `bottega.${NAME}`) return;
    theme.set(kept());
    paint();
  });
  paint();
}

function paint(): void {
  const dark = theme.value === "dark" || (theme.value === "system" && system().matches);
  const page = document.documentElement;
  page.dataset.theme = dark ? "dark" : "light";
  const ground = getComputedStyle(page).getPropertyValue("--ground").trim();
  document.querySelector('meta[name="theme-color"]')?.setAttribute("content", ground);
}
