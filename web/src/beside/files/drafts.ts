/**
 * Edits that are not saved: kept by this browser until they are, whatever is opened in between and over a reload.
 *
 * What is too large to be kept lives as long as the page does.
 */
import { keep, kept } from "../../studio/kept.js";
import { Watch } from "../../studio/watch.js";

export interface Draft {
  text: string;
  /** The version that was edited. */
  version: string;
}

const LARGEST = 500_000;
/** The composer keeps its drafts under `draft`: these are never dropped to make room for those. */
const NAMES = "edits";
const kindOf = (name: string) => `edit.${name}`;

const drafts = new Map<string, Draft>();
/** `project/path` of each file with a draft. */
export const drafted = new Watch<ReadonlySet<string>>(new Set(kept<string[]>(NAMES, [])));

export const draftName = (projectId: string, path: string) => `${projectId}/${path}`;

export function draftOf(projectId: string, path: string): Draft | null {
  const name = draftName(projectId, path);
  return drafts.get(name) ?? kept<Draft | null>(kindOf(name), null);
}

export function keepDraft(projectId: string, path: string, draft: Draft | null): void {
  const name = draftName(projectId, path);
  if (draft) drafts.set(name, draft);
  else drafts.delete(name);
  keep(kindOf(name), draft && draft.text.length <= LARGEST ? draft : undefined);
  if (drafted.value.has(name) === Boolean(draft)) return;
  const names = new Set(drafted.value);
  if (draft) names.add(name);
  else names.delete(name);
  drafted.set(names);
  keep(NAMES, [...names]);
}
