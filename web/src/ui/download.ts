/** Files that the browser saves: the request is its own, so that a ticket stands in the address. */
import { follow } from "../api/page-key.js";

/** Have the browser save what is at an address of this server. */
export function saveFrom(address: string): void {
  const link = document.createElement("a");
  link.href = address;
  link.download = "";
  void follow(link);
}
