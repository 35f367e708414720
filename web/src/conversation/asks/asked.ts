/** The arguments that are decided on, as they would be used: of numbers that are too large for this language to be exact, the
 * server tells what is written. */
import type { Given } from "../../prose/phrase.js";
import type { Ask } from "../../session/shape.js";
import { useAsked } from "./answering.js";

export interface Asked {
  input: Given;
  /** All of them, exactly. */
  json: string;
  /** The numbers in `input` are what they were. */
  exact: boolean;
}

/** As the server has them with the ask itself, whatever stands in the transcript. Null: they are not there yet, or
 * (`failed`) cannot be had. */
export function useArguments(ask: Ask): { asked: Asked | null; failed: boolean } {
  const told = useAsked(ask);
  if (!told.data) return { asked: null, failed: told.isError };
  const { input, arguments: written } = told.data;
  const exact = isExact(input);
  const json = exact ? JSON.stringify(input, null, 2) : written;
  return { asked: json ? { input, json, exact } : null, failed: !json };
}

/** No number in a value has been rounded when it was read. */
function isExact(value: unknown): boolean {
  if (typeof value === "number") return Math.abs(value) <= Number.MAX_SAFE_INTEGER;
  return typeof value !== "object" || value === null || Object.values(value).every(isExact);
}
