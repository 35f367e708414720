/** Starts the studio in this page. */
import "./look/look.css";
import { QueryClient, QueryClientProvider } from "@tanstack/react-query";
import { createRoot } from "react-dom/client";
import { Router } from "wouter";
import { leaveWithOthers } from "./api/leaving.js";
import { App } from "./app/app.js";
import { arrange } from "./look/appearance.js";
import { follow } from "./look/theme.js";
import { pressed } from "./studio/commands.js";
import { StudioContext } from "./studio/context.js";
import { here, Studio } from "./studio/studio.js";
import { Tips } from "./ui/tip.js";

const studio = new Studio();
const queries = new QueryClient({
  defaultOptions: {
    // A server on this machine answers without any network, too.
    queries: { retry: 1, refetchOnWindowFocus: true, networkMode: "always" },
    mutations: { networkMode: "always" },
  },
});
addEventListener("keydown", pressed);
// What it is built of is kept, so that the page is there while its server is not.
if (import.meta.env.PROD) void navigator.serviceWorker?.register(`${here()}/sw.js`).catch(() => {});
follow();
arrange();
leaveWithOthers(studio.root);
void studio.start();
createRoot(document.getElementById("root")!).render(
  <QueryClientProvider client={queries}>
    <StudioContext value={studio}>
      <Router base={new URL(here()).pathname.replace(/\/$/, "")}>
        <Tips delayDuration={400}>
          <App />
        </Tips>
      </Router>
    </StudioContext>
  </QueryClientProvider>,
);
