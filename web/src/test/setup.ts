/** What jsdom lacks and views use. */
import { cleanup, configure } from "@testing-library/react";
import { afterEach, beforeEach } from "vitest";
import { fresh } from "./browser.js";

// A busy machine is slow, and whoever waits for what is shown loses nothing.
fresh();
configure({ asyncUtilTimeout: 15_000 });

afterEach(cleanup);

// Nobody answers, unless a test says who does.
beforeEach(() => {
  globalThis.fetch = () => Promise.reject(new TypeError("Nobody answers in tests."));
});

window.matchMedia ??= (query: string) =>
  ({
    matches: false,
    media: query,
    addEventListener() {},
    removeEventListener() {},
  }) as unknown as MediaQueryList;
globalThis.ResizeObserver ??= class {
  observe() {}
  unobserve() {}
  disconnect() {}
};
Element.prototype.scrollIntoView ??= () => {};
