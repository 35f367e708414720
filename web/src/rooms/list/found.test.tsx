/** What was found is marked, and markup in it is only text. */
import { render, screen } from "@testing-library/react";
import { expect, test } from "vitest";
import { Marked } from "./found.js";

test("each match stands in a mark, and nothing in a snippet is markup", () => {
  render(
    <p data-testid="snippet">
      <Marked snippet={"a «word» <img src=x onerror=alert(1)> and «words»"} />
    </p>,
  );
  const snippet = screen.getByTestId("snippet");
  expect([...snippet.querySelectorAll("mark")].map((mark) => mark.textContent)).toEqual(["word", "words"]);
  expect(snippet.querySelector("img")).toBeNull();
  expect(snippet.textContent).toBe("a word <img src=x onerror=alert(1)> and words");
});
