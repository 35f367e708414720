/**
 * What proves that a request comes from a page of this server. A browser sends our cookie to every port of the host;
 * what stands in the storage of this origin it gives to nobody else. The cookie without it opens nothing under `/api`.
 */

import { pageKey, ROOT } from "./kept.js";

const HEADER = "X-Bottega-Page";

export function pageHeaders(): Record<string, string> {
  const known = pageKey();
  return known ? { [HEADER]: known } : {};
}

/** Whether somebody is signed in with this browser, as far as it knows. */
export const isKeyed = () => pageKey() !== "";

/** The address of a file, with a ticket for the one request that the browser itself makes for it. */
export async function ticketed(address: string): Promise<string> {
  const init: RequestInit = { method: "POST", headers: pageHeaders(), credentials: "same-origin" };
  const answer = await fetch(`${ROOT}/api/tickets`, init);
  if (!answer.ok) return address;
  const { ticket } = (await answer.json()) as { ticket: string };
  return `${address}${address.includes("?") ? "&" : "?"}ticket=${encodeURIComponent(ticket)}`;
}

/** Have every link to something under `/api` carry a ticket when it is pressed. */
export function ticketLinks(): void {
  document.addEventListener(
    "click",
    (event) => {
      const link = event.target instanceof Element ? event.target.closest("a") : null;
      if (!link?.href.startsWith(`${location.origin}${ROOT}/api/`)) return;
      event.preventDefault();
      void follow(link);
    },
    true,
  );
}

/** Go where a link leads, as the browser would. */
export async function follow(link: HTMLAnchorElement): Promise<void> {
  const made = document.createElement("a");
  made.href = await ticketed(link.href);
  if (link.hasAttribute("download")) made.download = link.download;
  made.target = link.target;
  made.rel = link.rel;
  made.click();
}
