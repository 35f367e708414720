/** How large and how close things stand in this browser: kept here, and set on the page before it is drawn. */
import { keep, kept } from "../studio/kept.js";
import { Watch } from "../studio/watch.js";

export const SIZES = ["small", "usual", "large"] as const;
export const DENSITIES = ["usual", "compact"] as const;
export type Size = (typeof SIZES)[number];
export type Density = (typeof DENSITIES)[number];

export const size = new Watch<Size>(kept("size", "usual"));
export const density = new Watch<Density>(kept("density", "usual"));

export function resize(next: Size): void {
  keep("size", next);
  size.set(next);
  arrange();
}

export function condense(next: Density): void {
  keep("density", next);
  density.set(next);
  arrange();
}

export function arrange(): void {
  document.documentElement.dataset.size = size.value;
  document.documentElement.dataset.density = density.value;
}
