/** Downloads: the browser saves what is at an address of this server. */

import { follow } from "../api/page-key.js";

/** Have the browser save what is at an address of this server. */
export function saveFrom(address: string): void {
  const link = document.createElement("a");
  link.href = address;
  link.download = "";
  void follow(link);
}
