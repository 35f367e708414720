/** Asks that are no call: a question, a plan, a limit, and what a client is asked for. */
import { act, screen, waitFor } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { describe, expect, it } from "vitest";
import { Conversation } from "../conversation.js";
import { answered, call, ended, facts, said, stage, started } from "../stage.js";

const required = (more: object, id = "a1") => ({
  type: "approval_required",
  data: {
    approval_id: id,
    kind: "tool",
    tool_id: "t1",
    tool_name: "bash_exec",
    hash: "seen",
    question: "Run bash_exec?",
    choices: [],
    ...more,
  },
});
const command = "git status && rm -rf build";
const detail = {
  reason: "ask mode asks before commands",
  offers: ["bash_exec", "bash_exec(git status *)"],
  command,
  sandbox: "bubblewrap 0.8.0",
};
const log = (...more: object[]) =>
  facts(said("go"), started, answered(call("t1", "bash_exec", { command })), ...(more as []));

function asked(rows = log(required({ detail })), view = <Conversation />) {
  const staged = stage(view, []);
  const sent: object[] = [];
  // The socket is not there: what would go over it is kept.
  staged.store.answer = async (word) => {
    sent.push(word);
    return null;
  };
  act(() => staged.tell(rows));
  return { ...staged, sent, user: userEvent.setup() };
}
const card = () => document.querySelector<HTMLElement>("[data-ask]");
const ready = () => waitFor(() => expect(card()?.dataset.ready).toBe("true"));

describe("other asks", () => {
  it("takes a choice by its number, or words of one's own", async () => {
    const rows = log(
      required({
        kind: "question",
        question: "Which database?",
        choices: ["SQLite", "Postgres"],
        detail: {},
      }),
    );
    const { sent, user } = asked(rows);
    await ready();
    await user.keyboard("2");
    expect(sent).toEqual([{ ask_id: "a1", hash: "seen", word: "answer", note: "Postgres" }]);
  });

  it("keeps a plan open after its exchange has ended, and nothing runs meanwhile", async () => {
    const rows = facts(
      said("plan it"),
      started,
      answered({ type: "text", text: "1. Do it." }),
      required({ kind: "plan", tool_id: "", tool_name: "", question: "Carry out this plan?", detail: {} }),
      ended(),
    );
    const { sent, user, container } = asked(rows);
    expect(container.querySelector("[data-now]")).toBeNull();
    await ready();
    await user.keyboard("2");
    expect(sent).toEqual([{ ask_id: "a1", hash: "seen", word: "accept", mode: "allow", note: "" }]);
  });

  it("says what going past a limit means", async () => {
    const limit = { limit: "cost", from: 5_000_000, to: 10_000_000, window: "" };
    const { sent, user } = asked(
      log(required({ kind: "limit", tool_id: "", tool_name: "", question: "$5 were spent.", detail: limit })),
    );
    expect(screen.getByRole("button", { name: /Go on, up to \$10\.00/ })).toBeTruthy();
    await ready();
    await user.keyboard("1");
    expect(sent).toEqual([{ ask_id: "a1", hash: "seen", word: "raise" }]);
  });

  it("says what continuing a parked run spends again", () => {
    const parked = {
      under_way: "A call was not finished: bash_exec (it had begun).",
      calls: [{ name: "bash_exec", began: true }],
      tokens: 12_345,
      again: true,
      written: 80,
      cost: 30_000,
    };
    asked(log(required({ kind: "resume", tool_id: "", tool_name: "", detail: parked })));
    expect(card()?.textContent).toContain("about 12,345 tokens again and has 80 written anew");
    expect(card()?.textContent).toContain("$0.03");
    expect(card()?.textContent).toContain("bash_exec: had begun");
  });

  it("has a card of its own for a child, and for each of two calls of one id", () => {
    const child = { session_id: "ses_2", agent: "coder", call: "t9" };
    const rows = log(
      required({ detail }),
      required({ detail: { ...detail, command: "ls -a" } }, "a2"),
      required({ detail: { ...detail, command: "ls -b", child } }, "a3"),
    );
    asked(rows);
    const cards = [...document.querySelectorAll("[data-ask]")].map((each) => each.getAttribute("data-ask"));
    expect(cards.sort()).toEqual(["a1", "a2", "a3"]);
  });

  it("stacks several, each with its own answer", async () => {
    const two = facts(
      said("go"),
      started,
      answered(call("t1", "bash_exec", { command }), call("t2", "bash_exec", { command: "ls" })),
      required({ detail }),
      required({ detail: { ...detail, command: "ls" }, tool_id: "t2" }, "a2"),
    );
    const { sent, user } = asked(two);
    expect(document.querySelectorAll("[data-ask]")).toHaveLength(2);
    await ready();
    await user.keyboard("1");
    expect(sent).toHaveLength(1);
  });
});
