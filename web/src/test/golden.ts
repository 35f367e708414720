/** The golden logs, for tests. */
import type { Row } from "../api/client.js";

const FOLDER = "../../../tests/golden/v1/";
const FILES: Record<string, string> = import.meta.glob("../../../tests/golden/v1/*", {
  query: "?raw",
  import: "default",
  eager: true,
});

export const NAMES = Object.keys(FILES)
  .filter((name) => name.endsWith(".jsonl"))
  .map((name) => name.replace(FOLDER, "").replace(".jsonl", ""));

export function golden(name: string): Row[] {
  const lines = FILES[`${FOLDER}${name}.jsonl`]!.trimEnd().split("\n");
  return lines.map((line) => JSON.parse(line) as Row);
}

/** What the server's fold told of it on its first day: index, sub and type of each event. */
export function expected(name: string): [number, number, string][] {
  return JSON.parse(FILES[`${FOLDER}${name}.expected.json`]!) as [number, number, string][];
}
