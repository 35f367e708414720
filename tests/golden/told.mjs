// Prints, as JSON, every event that the studio's fold tells of the rows on stdin: `node told.mjs FOLD.ts`.
import { readFileSync } from "node:fs";

const { START, step } = await import(process.argv[2]);
const logs = JSON.parse(readFileSync(0, "utf-8"));
const answers = logs.map((rows) => {
  let state = START;
  const told = [];
  for (const row of rows) {
    const [next, seen] = step(state, row);
    state = next;
    told.push(...seen);
  }
  return told;
});
process.stdout.write(JSON.stringify(answers));
