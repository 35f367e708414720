/** Bytes of this server as something that a picture can show: fetched, as a request of the browser's own proves nothing. */
import { useEffect, useState } from "react";
import { pageHeaders } from "../../api/page-key.js";

/** An address of what is at this path; empty while it is on its way, or where there is nothing. */
export function useFetched(path: string): string {
  const [address, setAddress] = useState("");
  useEffect(() => {
    if (!path) return;
    const leaving = new AbortController();
    let made = "";
    const init: RequestInit = { credentials: "same-origin", headers: pageHeaders(), signal: leaving.signal };
    const show = (bytes: Blob | null) => {
      if (!bytes || leaving.signal.aborted) return;
      made = URL.createObjectURL(bytes);
      setAddress(made);
    };
    // Whoever leaves breaks off the request, or the reading of what it brings: then there is nothing to show.
    void fetch(path, init)
      .then((answer) => (answer.ok ? answer.blob() : null))
      .then(show, () => undefined);
    return () => {
      leaving.abort();
      if (made) URL.revokeObjectURL(made);
    };
  }, [path]);
  return address;
}
