// A program that uses the compiled client: prompts, prints what it is given, and comes back after a lost connection.
// node --experimental-websocket drive.mjs CLIENT ADDRESS TOKEN MODEL
import { pathToFileURL } from "node:url";

const [, , client, address, token, model] = process.argv;
const { Client } = await import(pathToFileURL(client).href);
const tell = (what) => process.stdout.write(`${JSON.stringify(what)}\n`);

let lost = false;
let tab;
const last = crypto.randomUUID();
const me = new Client(
  { address, headers: { Authorization: `Bearer ${token}` } },
  {
    events(tabId, rows) {
      for (const [index, event] of rows) {
        tell({ index, event, mine: tabId === tab });
        if (event.type === "exchange_response" && event.message_id === last) me.close();
      }
    },
    state(state) {
      tell({ state });
      if (state === "lost") lost = true;
      if (state === "open" && lost) {
        lost = false;
        me.prompt(tab, "three", { message_id: last }).then((answer) => tell({ answer }));
      }
    },
  },
);
me.open();
tab = crypto.randomUUID();
const created = await me.newTab({ tab_id: tab, model });
tell({ created, title: (await me.http.get("/api/sessions")).sessions.length });
await me.prompt(tab, "one");
await me.prompt(tab, "two");
