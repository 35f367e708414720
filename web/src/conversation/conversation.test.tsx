/** The conversation around its cards: prompts on their way, how exchanges end, what stands between them, what is told. */
import { act, screen } from "@testing-library/react";
import { describe, expect, it } from "vitest";
import { Builder } from "../session/transcript.js";
import { told } from "./announcer.js";
import { Conversation } from "./conversation.js";
import { answered, call, ended, facts, said, stage, started } from "./stage.js";

const text = (words: string) => answered({ type: "text", text: words });
const failed = (more: object) =>
  ended({ success: false, completion_reason: "error", stop_reason: "error", ...more });
const error = (code: string) => ({
  type: "error_message",
  data: { message: "It failed.", code, retryable: false, hint: "Do this." },
});
const viewOf = (...events: Parameters<typeof facts>) => {
  const builder = new Builder();
  builder.take(facts(...events));
  return builder.snapshot();
};

describe("a prompt on its way", () => {
  const sending = {
    messageId: "m9",
    at: Date.now(),
    text: "hello there",
    content: "hello there",
    wishes: {},
    problem: "",
    later: false,
  };

  it("stands there at once, and thinks", () => {
    const { store } = stage(<Conversation />);
    act(() => store.sending.set([sending]));
    expect(screen.getByText("hello there")).toBeTruthy();
    expect(screen.getByText("Thinking…")).toBeTruthy();
  });

  it("thinks no more where it was not taken, and says so", () => {
    const { store } = stage(<Conversation />);
    act(() => store.sending.set([{ ...sending, problem: "The server is full." }]));
    expect(screen.getByText("hello there")).toBeTruthy();
    expect(screen.getByText("Not sent")).toBeTruthy();
    expect(screen.queryByText("Thinking…")).toBeNull();
  });
});

describe("the end of an exchange", () => {
  it("says time, tokens and cost, exactly on demand", () => {
    stage(<Conversation />, facts(said("hi"), started, text("Hello."), ended()));
    expect(screen.getByText("1.2K tokens")).toBeTruthy();
    expect(screen.getByText("$0.03")).toBeTruthy();
    expect(screen.getByTitle(/3,210 ms/).title).toContain("1,200 in (0 cached), 34 out");
  });

  it.each([
    ["bad_key", "Open the keys"],
    ["unknown_model", "Choose another model"],
    ["context_full", "Compact and try again"],
    ["workspace_gone", "Start a new session"],
    ["server_error", "Try again"],
  ])("offers one way out of %s", (code, button) => {
    stage(<Conversation />, facts(said("hi"), started, error(code), failed({})));
    expect(screen.getByText("It failed.")).toBeTruthy();
    expect(screen.getByText("Do this.")).toBeTruthy();
    expect(screen.getByRole("button", { name: button })).toBeTruthy();
  });

  it("keeps what went wrong beside the words that came before", () => {
    stage(
      <Conversation />,
      facts(said("hi"), started, error("overloaded"), text("I begin, and"), failed({})),
    );
    expect(screen.getByText("I begin, and")).toBeTruthy();
    expect(screen.getByText("It failed.")).toBeTruthy();
    expect(screen.getByRole("button", { name: "Try again" })).toBeTruthy();
  });

  it.each([
    ["user_stopped", "Stopped"],
    ["resource_limit_exceeded", "Ended at a limit"],
    ["output_limit_reached", "Cut off: the answer came to its longest"],
    ["refused", "The model would not answer"],
    ["interrupted", "Interrupted: the process that ran it ended"],
    ["something_new", "Failed"],
  ])("has a word for %s", (completion_reason, words) => {
    stage(<Conversation />, facts(said("hi"), started, text("…"), failed({ completion_reason })));
    expect(screen.getByText(words)).toBeTruthy();
  });
});

describe("what stands between and beside", () => {
  it("counts down to the next try in the line of what is going on", () => {
    const at = Date.now();
    const retry = {
      type: "conversation_retrying",
      data: { number: 2, of: 5, delay_ms: 60_000, reason: "Busy." },
      at,
    };
    stage(<Conversation />, facts(said("hi"), started, retry));
    expect(screen.getByText(/trying again in (60|59) s \(try 2 of 5\) · Busy\./)).toBeTruthy();
  });

  it("keeps a try that was made above its answer, and moves nothing when that is whole", () => {
    const data = { number: 2, of: 5, delay_ms: 0, reason: "Busy." };
    const begun: Parameters<typeof facts> = [
      said("hi"),
      started,
      { type: "conversation_retrying", data },
      { type: "text_delta", data: { text: "Here" } },
    ];
    const parts = (...events: Parameters<typeof facts>) =>
      viewOf(...events).items.flatMap((item) => (item.kind === "exchange" ? item.parts : []));
    const keys = parts(...begun).map(({ kind, key }) => [kind, key]);
    expect(keys.map(([kind]) => kind)).toEqual(["retry", "text"]);
    expect(parts(...begun, text("Here it is.")).map(({ kind, key }) => [kind, key])).toEqual(keys);
  });

  it("tells a compaction with its numbers, and offers to undo it", () => {
    const compaction = {
      type: "compaction",
      data: { upto: 3, summary: "What was done.", reason: "full", before: 90_000, after: 12_000 },
      message_id: "",
    };
    stage(<Conversation />, facts(said("hi"), started, text("Hello."), ended(), compaction));
    expect(screen.getByText("90K → 12K tokens")).toBeTruthy();
    expect(screen.getByRole("button", { name: "Undo" })).toBeTruthy();
  });

  it("has a quiet line for an event that it does not know", () => {
    stage(<Conversation />, facts({ type: "moon_phase", message_id: "" }));
    expect(screen.getByText(/does not know: moon_phase/)).toBeTruthy();
  });

  it("says that the process is gone while another takes over", () => {
    const { store } = stage(<Conversation />, facts(said("hi"), started));
    act(() => store.workerGone.set(true));
    expect(screen.getByText(/Another one takes it over/)).toBeTruthy();
  });
});

describe("what is told to those who do not see the page", () => {
  const begun = [said("hi"), started] as const;

  it("is the beginning and the end, not each piece", () => {
    const idle = viewOf();
    const working = viewOf(...begun);
    const more = viewOf(...begun, { type: "text_delta", data: { text: "a" }, step: 1 });
    expect(told(idle, working)).toBe("The agent works.");
    expect(told(working, more)).toBe("");
    expect(told(more, viewOf(...begun, text("a"), ended()))).toBe("The agent is done.");
  });

  it("is what waits for them, and why something failed", () => {
    const asks = {
      type: "approval_required",
      data: {
        approval_id: "a",
        kind: "tool",
        tool_id: "t",
        tool_name: "bash_exec",
        detail: { command: "make" },
      },
    };
    const waits = viewOf(...begun, answered(call("t", "bash_exec", { command: "make" })), asks);
    expect(told(viewOf(...begun), waits)).toBe("Waiting for you: Run make");
    expect(told(waits, viewOf(...begun, error("x"), failed({})))).toBe("Failed. It failed.");
  });
});
