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
import { Disk } from "../files/disk.js";
import { type Place, within } from "../place.js";
import { filesChanged } from "../pulse.js";

export type Change = Schema<"ChangeShape">;
type Undone = Schema<"UndoneShape">;

interface Kept {
  path: string;
  /** Null: there was no file. */
  bytes: Blob | null;
}

/** More files than this are not kept for the way back. */
const MOST = 50;

export async function revert(
  http: Http,
  sessionId: string,
  place: Place | null,
  wanted: Schema<"Revert">,
  changes: Change[],
): Promise<Undone> {
  const disk = place && new Disk(http, place.projectId);
  const kept = disk ? await keep(disk, place, changes) : null;
  const undone = await http.post("/api/sessions/{session_id}/revert", {
    path: { session_id: sessionId },
    body: wanted,
  });
  if (!undone.reverted.length) return undone;
  const said = texts.beside.changes.reverted(undone.reverted.length);
  if (!kept || !disk) {
    say(said);
    return undone;
  }
  const back = kept.filter(({ path }) => undone.reverted.some((each) => within(place, each) === path));
  const versions = await Promise.all(back.map(({ path }) => disk.version(path)));
  say(said, { undo: () => void putBack(disk, back, versions).catch(sayProblem) });
  return undone;
}

async function keep(disk: Disk, place: Place, changes: Change[]): Promise<Kept[] | null> {
  if (changes.length > MOST) return null;
  try {
    return await Promise.all(
      changes.flatMap((change) => {
        const path = within(place, change.path);
        return path === null ? [] : [bytesOf(disk, path)];
      }),
    );
  } catch {
    return null; // Too large, or out of reach: there is no way back, and none is offered.
  }
}

async function bytesOf(disk: Disk, path: string): Promise<Kept> {
  try {
    return { path, bytes: await disk.bytes(path) };
  } catch (error) {
    if (error instanceof Problem && error.status === 404) return { path, bytes: null };
    throw error;
  }
}

/** `versions` are those that the revert left; null: no file. */
async function putBack(disk: Disk, kept: Kept[], versions: (string | null)[]): Promise<void> {
  const { changes } = texts.beside;
  let all = true;
  for (const [n, { path, bytes }] of kept.entries()) {
    const version = versions[n] ?? "";
    try {
      if (bytes) await disk.upload(path, bytes, version);
      else await disk.remove({ path, kind: "file" }, version);
    } catch (error) {
      if (!(error instanceof Problem) || error.status !== 409) throw error;
      all = false;
      say(changes.notBack(path), { bad: true });
    }
  }
  if (all) say(changes.back);
  filesChanged();
}
