/**
 * Bringing files back to what they were before a session, with a way back from that.
 *
 * What stands there is read first, as bytes, so that it can be put back as it was, whatever it is; it is put back only
 * over what the revert left, never over what somebody did since.
 */
import { type Http, Problem } from "../../api/client.js";
import type { Schema } from "../../api/http.js";
import { texts } from "../../texts/texts.js";
import { say, sayProblem } from "../../ui/toasts.js";
import { type Place, within } from "../place.js";

export type Change = Schema<"ChangeShape">;
type Undone = Schema<"UndoneShape">;

interface Kept {
  path: string;
  /** Null: there was no file. */
  bytes: Blob | null;
}

/** More than so many files, or so many bytes, are not kept for the way back. */
const MOST = 50;

export async function revert(
  http: Http,
  sessionId: string,
  place: Place | null,
  wanted: Schema<"Revert">,
  changes: Change[],
): Promise<Undone> {
  const kept = place ? await keep(http, place, changes) : null;
  const undone = await http.post("/api/sessions/{session_id}/revert", {
    path: { session_id: sessionId },
    body: wanted,
  });
  if (!undone.reverted.length) return undone;
  const said = texts.beside.changes.reverted(undone.reverted.length);
  if (!kept || !place) {
    say(said);
    return undone;
  }
  const back = kept.filter(({ path }) => undone.reverted.some((each) => within(place, each) === path));
  const versions = await Promise.all(back.map(({ path }) => versionOf(http, place, path)));
  say(said, { undo: () => void putBack(http, place, back, versions).catch(sayProblem) });
  return undone;
}

async function keep(http: Http, place: Place, changes: Change[]): Promise<Kept[] | null> {
  if (changes.length > MOST) return null;
  try {
    return await Promise.all(
      changes.flatMap((change) => {
        const path = within(place, change.path);
        return path === null ? [] : [bytesOf(http, place, path)];
      }),
    );
  } catch {
    return null; // Too large, or out of reach: there is no way back, and none is offered.
  }
}

async function bytesOf(http: Http, place: Place, path: string): Promise<Kept> {
  const call = { path: { project_id: place.projectId }, query: { path } };
  try {
    return { path, bytes: await http.bytes("/api/projects/{project_id}/download", call) };
  } catch (error) {
    if (error instanceof Problem && error.status === 404) return { path, bytes: null };
    throw error;
  }
}

/** The version of a file; empty: there is none. */
async function versionOf(http: Http, place: Place, path: string): Promise<string> {
  try {
    const query = { path, limit: 1 };
    const found = await http.get("/api/projects/{project_id}/file", {
      path: { project_id: place.projectId },
      query,
    });
    return found.version;
  } catch (error) {
    if (error instanceof Problem && error.status === 404) return "";
    throw error;
  }
}

async function putBack(http: Http, place: Place, kept: Kept[], versions: string[]): Promise<void> {
  const { changes } = texts.beside;
  const path = { project_id: place.projectId };
  let all = true;
  for (const [n, { path: name, bytes }] of kept.entries()) {
    const query = { path: name, version: versions[n] ?? "" };
    try {
      if (bytes) await http.upload("/api/projects/{project_id}/upload", bytes, { path, query });
      else await http.delete("/api/projects/{project_id}/file", { path, query });
    } catch (error) {
      if (!(error instanceof Problem) || error.status !== 409) throw error;
      all = false;
      say(changes.notBack(name), { bad: true });
    }
  }
  if (all) say(changes.back);
  dispatchEvent(new Event(FILES_CHANGED));
}

/** Said on the window when this page changed files by itself: whoever shows them looks again. */
export const FILES_CHANGED = "bottega-files-changed";
