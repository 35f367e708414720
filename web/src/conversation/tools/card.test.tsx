/** One card for a call, filled in place; closed by default, with all there is to see when it is opened. */
import { act, screen, within } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { describe, expect, it } from "vitest";
import { Conversation } from "../conversation.js";
import { answered, call, ended, facts, said, stage, started } from "../stage.js";

const bash = (command: string) => answered(call("t1", "bash_exec", { command }));
const intent = { type: "tool_intent", data: { tool_id: "t1", name: "bash_exec", hash: "h", effects: [] } };
const printed = (text: string) => ({ type: "tool_output_delta", data: { tool_id: "t1", text } });
const result = (name: string, value: unknown, more: object = {}) => ({
  type: "tool_result",
  data: {
    tool_id: "t1",
    name,
    content: [{ type: "text", text: JSON.stringify({ status: "success", result: value }) }],
    duration_ms: 1_200,
    ...more,
  },
});
const line = () => screen.getByRole("button", { expanded: false, name: /Run|Read|Edit|Write|weather/ });

describe("a tool card", () => {
  it("is one card from the first piece of its arguments to its result", () => {
    const piece = {
      type: "input_json_delta",
      data: { block: 0, partial_json: '{"command":"make te', id: "t1", name: "bash_exec" },
      step: 1,
    };
    const log = [said("go"), started, piece, bash("make test"), intent, printed("ok\n")];
    const done = result("bash_exec", { exit_code: 0, stdout: "ok\n", stderr: "" });
    const { tell, container } = stage(<Conversation />);
    const words = [/Run.*make te.*Preparing/, /Run.*make test.*Next/, /Running/, /Running/, /Done/];
    for (const [n, told] of words.entries()) {
      act(() => tell(facts(...[...log, done].slice(0, n + 3))));
      expect(container.querySelectorAll("[data-tool]")).toHaveLength(1);
      expect(line().textContent).toMatch(told);
    }
    expect(line().textContent).toContain("1.2 s");
  });

  it("shows what was printed while it runs, and the exit code at its end", async () => {
    const user = userEvent.setup();
    const { tell } = stage(
      <Conversation />,
      facts(said("go"), started, bash("make"), intent, printed("one\n"), printed("two\n")),
    );
    await user.click(line());
    expect(screen.getByRole("figure", { name: "Output" }).textContent).toContain("one\ntwo");
    const failed = result("bash_exec", { exit_code: 2, stdout: "one\ntwo\nthree\n", stderr: "bad" });
    act(() => tell(facts(said("go"), started, bash("make"), intent, failed)));
    expect(screen.getByRole("figure", { name: "Output" }).textContent).toContain("three");
    expect(screen.getByRole("figure", { name: "Errors printed" }).textContent).toContain("bad");
    expect(screen.getAllByText("exit code 2")).toHaveLength(2);
    expect(document.querySelector("[data-tool] .lucide-check"), "nothing to be ticked").toBeNull();
  });

  it("counts the lines of a file that was not there before, unasked too", () => {
    const write = call("t1", "write_file", { file_path: "made.py", content: "one\ntwo\n" });
    const done = result("write_file", { path: "made.py", created: true });
    stage(<Conversation />, facts(said("go"), started, answered(write), done));
    expect(line().textContent).toContain("+2 −0");
  });

  it("shows twelve lines of a long output, and all of it on demand", async () => {
    const user = userEvent.setup();
    const long = Array.from({ length: 482 }, (_, n) => `line ${n + 1}`).join("\n");
    stage(
      <Conversation />,
      facts(said("go"), started, bash("x"), result("bash_exec", { exit_code: 0, stdout: long, stderr: "" })),
    );
    await user.click(line());
    const figure = screen.getByRole("figure", { name: "Output" });
    expect(figure.textContent).toContain("line 482");
    expect(figure.textContent).not.toContain("line 470");
    await user.click(within(figure).getByRole("button", { name: "Show all 482 lines" }));
    expect(figure.textContent).toMatch(/line 1\s*line 2/);
  });

  it("counts the lines of an edit and shows its difference, though nobody was asked", async () => {
    const user = userEvent.setup();
    const patches = [{ old_text: "a\nb\n", new_text: "a\nc\nd\n" }];
    stage(
      <Conversation />,
      facts(
        said("go"),
        started,
        answered(call("t1", "patch_file", { file_path: "src/deep/parser.py", patches })),
        result("patch_file", {
          path: "src/deep/parser.py",
          changes: [{ line: 7, lines_removed: 1, lines_added: 2 }],
        }),
      ),
    );
    expect(line().textContent).toMatch(/Edit.*parser\.py.*\+2 −1/);
    await user.click(line());
    const card = document.querySelector("[data-tool=patch_file]");
    expect(card?.textContent).toContain("c");
    expect(card?.textContent).toContain("d");
  });

  it("makes a good line of a tool that it does not know, and of one of an MCP server", () => {
    stage(
      <Conversation />,
      facts(
        said("go"),
        started,
        answered(call("t1", "mcp__sky__weather", { city: "Torino" }), call("t2", "dance", { steps: 3 })),
      ),
    );
    expect(screen.getByRole("button", { name: /weather · sky.*Torino/ })).toBeTruthy();
    expect(screen.getByRole("button", { name: /dance.*steps=3/ })).toBeTruthy();
  });

  it("folds more than six finished calls to one line, which opens", async () => {
    const user = userEvent.setup();
    const reads = Array.from({ length: 9 }, (_, n) => call(`r${n}`, "read_file", { file_path: `${n}.py` }));
    const runs = [call("b0", "bash_exec", { command: "a" }), call("b1", "bash_exec", { command: "b" })];
    const all = [...reads, ...runs];
    const results = all.map(({ id, name }) => ({
      type: "tool_result",
      data: { tool_id: id, name, content: [{ type: "text", text: "ok" }], duration_ms: 100 },
    }));
    const { container } = stage(
      <Conversation />,
      facts(said("go"), started, answered(...all), ...results, ended()),
    );
    const run = screen.getByRole("button", { name: /^Read 9 files, ran 2 commands ?1\.1 s$/ });
    expect(container.querySelectorAll("[data-tool]")).toHaveLength(0);
    await user.click(run);
    expect(container.querySelectorAll("[data-tool]")).toHaveLength(11);
  });

  it("says of a call that was cut off by a crash that nobody knows how it ended", async () => {
    const user = userEvent.setup();
    const crash = { type: "interrupted", data: { reason: "The process ended." } };
    stage(
      <Conversation />,
      facts(
        said("go"),
        started,
        bash("rm x"),
        intent,
        crash,
        ended({ success: false, completion_reason: "interrupted" }),
      ),
    );
    expect(line().textContent).toContain("Interrupted");
    await user.click(line());
    expect(screen.getByText(/whether it finished is not known/)).toBeTruthy();
  });
});
