/** How the studio is built: relative addresses (the server writes its base path into the page), one chunk for the first
 * view, and what is heavy and rarely needed (editor, terminal, diagrams, formulas) in chunks of its own. */
import tailwindcss from "@tailwindcss/vite";
import react from "@vitejs/plugin-react";
import type { Plugin } from "vite";
import { defineConfig } from "vitest/config";

/** Fonts of formulas in the one format that every browser knows which runs the studio; the older two are 800 KB. */
const oneFontFormat: Plugin = {
  name: "one-font-format",
  enforce: "pre",
  transform: (code, id) =>
    id.includes("katex") && id.endsWith(".css")
      ? code.replace(/,url\([^)]+\) format\("(woff|truetype)"\)/g, "")
      : undefined,
};

export default defineConfig({
  base: "./",
  plugins: [oneFontFormat, react(), tailwindcss()],
  // The golden logs stand beside this folder.
  server: { fs: { allow: [".."] } },
  build: {
    outDir: "../src/bottega/server/pages/built",
    emptyOutDir: true,
    target: "es2023",
    assetsInlineLimit: 0,
    // Layouts of diagrams are that large, and come only with a diagram that needs them.
    chunkSizeWarningLimit: 1600,
    manifest: true,
  },
  test: {
    environment: "jsdom",
    isolate: false,
    testTimeout: 30_000,
    include: ["src/**/*.test.{ts,tsx}"],
    setupFiles: ["src/test/setup.ts"],
  },
});
