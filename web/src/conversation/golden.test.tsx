/** Every golden log is shown whole, at every length: nothing that a session may hold breaks the page. */
import { act, screen } from "@testing-library/react";

import { describe, expect, it } from "vitest";
import type { Row } from "../api/client.js";
import { golden, NAMES } from "../test/golden.js";
import { Conversation } from "./conversation.js";
import { stage } from "./stage.js";

/** The exchange that runs after these facts; empty: none. */
function openAfter(rows: Row[]): string {
  const begun = rows.findLast(([, event]) => event.type === "user_message" && !event.data?.steer);
  const id = begun?.[1].message_id ?? "";
  return rows.some(([, event]) => event.type === "exchange_response" && event.message_id === id) ? "" : id;
}

describe("golden logs", () => {
  it.each(NAMES)(
    "shows %s fact by fact, and that it thinks until its exchange is over and not after",
    (name) => {
      const rows = golden(name);
      const { tell, container } = stage(<Conversation />, []);
      for (let n = 1; n <= rows.length; n++) {
        act(() => tell(rows.slice(0, n)));
        const open = openAfter(rows.slice(0, n));
        const thinks = [...container.querySelectorAll("article:has([data-now])")].map(({ id }) => id);
        if (open) expect(thinks, `after fact ${n}`).toContain(`m-${open}`);
        else expect(thinks.filter(Boolean), `after fact ${n}`).toEqual([]);
      }
      expect(screen.getByRole("log", { name: "Messages" })).toBeTruthy();
      const prompts = rows.filter(([, event]) => event.type === "user_message" && !event.data?.steer);
      expect(container.querySelectorAll("article[id]")).toHaveLength(prompts.length);
    },
  );
});
