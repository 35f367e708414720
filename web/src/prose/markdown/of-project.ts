/** A picture of the session's project that an answer names by its path: its bytes are fetched and taken as that kind of
 * picture alone, so that nothing in it can be anything else. */
import { useContext, useEffect, useState } from "react";
import type { Schema } from "../../api/http.js";
import { SessionContext, StudioContext } from "../../studio/context.js";
import { useWatch, Watch } from "../../studio/watch.js";
import { pictureType } from "../../ui/picture-type.js";

const NOBODY = new Watch<Schema<"SessionShape"> | null>(null);

/** `charts/a b.png` for "./charts/a%20b.png"; null for what is no path inside, or no picture that is shown. */
export function pathOf(href: string): string | null {
  const wanted = href.trim();
  if (/^[a-z][a-z+.-]*:|^[/\\]|\\|[?#]|(?:^|\/)\.\.(?:\/|$)/i.test(wanted)) return null;
  try {
    const path = decodeURIComponent(wanted).replace(/^(?:\.\/)+/, "");
    return pictureType(path) && !/(?:^|\/)\.\.(?:\/|$)|\\/.test(path) ? path : null;
  } catch {
    return null;
  }
}

/** Where the browser has it; "" while it is fetched, null where it is not to be had. */
export function useProjectPicture(path: string | null): string | null {
  const studio = useContext(StudioContext);
  const about = useWatch(useContext(SessionContext)?.about ?? NOBODY);
  const [address, setAddress] = useState<string | null>("");
  const project = about?.project_id ?? "";
  const whole = path !== null && about?.container ? `${about.container}/${path}` : path;
  useEffect(() => {
    if (!studio || !project || whole === null) return;
    const leaving = new AbortController();
    let made = "";
    const call = { path: { project_id: project }, query: { path: whole }, signal: leaving.signal };
    studio.http.bytes("/api/projects/{project_id}/download", call).then(
      (bytes) => {
        if (leaving.signal.aborted) return;
        made = URL.createObjectURL(bytes.slice(0, bytes.size, pictureType(whole)));
        setAddress(made);
      },
      () => leaving.signal.aborted || setAddress(null),
    );
    return () => {
      leaving.abort();
      if (made) URL.revokeObjectURL(made);
    };
  }, [studio, project, whole]);
  return project && whole !== null ? address : null;
}
