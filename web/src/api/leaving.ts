/** The ways out of a page: somebody signs out here, or has signed out, or in, elsewhere in this browser. */
import type { Http } from "./http.js";
import { dropPageKey, forget, isCurrent, looks } from "./kept.js";

/** Go to where nobody need be signed in. What was kept stays: whose it is, is known. */
export function leave(address: string): void {
  location.replace(`${address}/`);
}

/** The server knows nobody here any more. Without the key, the next page does not come here again. */
export function signedOut(address: string): void {
  dropPageKey();
  leave(address);
}

export async function signOut(http: Http, address: string): Promise<void> {
  const seen = looks();
  await http.post("/api/sign-out");
  forget(seen);
  leave(address);
}

/** Show nothing of somebody who has signed out in another window. */
export function leaveWithOthers(address: string): void {
  addEventListener("storage", ({ key }) => {
    if ((key === null || /^bottega-(page|person):/.test(key)) && !isCurrent()) leave(address);
  });
}
