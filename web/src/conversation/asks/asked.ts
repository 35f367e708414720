/** The arguments that are decided on, as they would be used: of numbers that are too large for this language to be exact, the
 * server tells what is written. */
import type { Given } from "../../prose/phrase.js";
import type { Ask, ToolPart } from "../../session/shape.js";
import { useAsked } from "./answering.js";

export interface Asked {
  input: Given;
  /** All of them, exactly. */
  json: string;
  /** The numbers in `input` are what they were. */
  exact: boolean;
}

/** Null: they are not there yet, or (`failed`) cannot be had. */
export function useArguments(ask: Ask, part: ToolPart | null): { asked: Asked | null; failed: boolean } {
  const known = part?.input && isExact(part.input) ? part.input : null;
  const told = useAsked(ask, !known);
  const input = known ?? told.data?.input;
  if (!input) return { asked: null, failed: told.isError };
  if (isExact(input))
    return { asked: { input, json: JSON.stringify(input, null, 2), exact: true }, failed: false };
  const json = told.data?.arguments;
  return { asked: json ? { input, json, exact: false } : null, failed: !json };
}

/** No number in a value has been rounded when it was read. */
function isExact(value: unknown): boolean {
  if (typeof value === "number") return Math.abs(value) <= Number.MAX_SAFE_INTEGER;
  return typeof value !== "object" || value === null || Object.values(value).every(isExact);
}
