/** A rule is made of what is chosen, and a refusal is told where it was asked. */
import { render, screen } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { expect, test } from "vitest";
import { Tips } from "../../ui/tip.js";
import { RuleForm } from "./rule-form.js";
import { moved, type Rule } from "./rules.js";

test("what is typed is what is saved", async () => {
  const saved: Rule[] = [];
  const closed: boolean[] = [];
  render(
    <Tips>
      <RuleForm
        rule={{ verdict: "ask" }}
        fresh
        save={async (rule) => void saved.push(rule)}
        onClose={() => closed.push(true)}
      />
    </Tips>,
  );
  await userEvent.selectOptions(screen.getByLabelText("Then"), "deny");
  await userEvent.selectOptions(screen.getByLabelText("About"), "path");
  await userEvent.type(screen.getByLabelText("Path"), "*.env");
  await userEvent.click(screen.getByRole("button", { name: "Save" }));
  expect(saved).toEqual([{ verdict: "deny", tool: "", network: false, path: "*.env" }]);
  expect(closed).toEqual([true]);
});

test("a rule that is refused stays open, with the reason", async () => {
  const refuse = async () => {
    throw new Error("A rule names a tool.");
  };
  render(
    <Tips>
      <RuleForm rule={{ verdict: "allow" }} fresh save={refuse} onClose={() => {}} />
    </Tips>,
  );
  await userEvent.click(screen.getByRole("button", { name: "Save" }));
  expect((await screen.findByRole("alert")).textContent).toContain("A rule names a tool.");
});

test("a rule moves by one place, and no further than the ends", () => {
  const rules: Rule[] = [{ verdict: "allow" }, { verdict: "ask" }, { verdict: "deny" }];
  expect(moved(rules, 2, -1).map(({ verdict }) => verdict)).toEqual(["allow", "deny", "ask"]);
  expect(moved(rules, 0, -1)).toBe(rules);
});
