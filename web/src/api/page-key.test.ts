/** The key of our pages: sent with each request, left out where there is none, and never part of an address. */
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { Http } from "./http.js";
import { dropPageKey } from "./kept.js";
import { pageHeaders, ticketed } from "./page-key.js";

beforeEach(() => {
  document.head.innerHTML = '<base href="http://here/" />';
});
afterEach(() => {
  document.head.innerHTML = "";
  localStorage.clear();
  vi.unstubAllGlobals();
});

function answering(body: unknown) {
  const asked: RequestInit[] = [];
  globalThis.fetch = async (_, init) => {
    asked.push(init ?? {});
    return new Response(JSON.stringify(body));
  };
  return asked;
}

test("every request has the key that this origin keeps", async () => {
  localStorage.setItem("bottega-page:", "k");
  const asked = answering({});
  await new Http({ address: "http://here" }).get("/api/me");
  expect(asked[0]?.headers).toMatchObject({ "X-Bottega-Page": "k" });
  dropPageKey();
  expect(pageHeaders()).toEqual({});
});

test("a download has a ticket and not the key", async () => {
  localStorage.setItem("bottega-page:", "k");
  const asked = answering({ ticket: "t+1" });
  expect(await ticketed("/api/x?format=md")).toBe("/api/x?format=md&ticket=t%2B1");
  expect(await ticketed("/api/x")).toBe("/api/x?ticket=t%2B1");
  expect(asked[0]?.method).toBe("POST");
});
