/**
 * One open file: what is on disk, what was edited, and what to do where the two have parted.
 *
 * Nothing is written but over the version that was read, or that somebody was shown; edits are kept until they are
 * saved or discarded.
 */
import { useCallback, useEffect, useRef, useState } from "react";
import { Problem } from "../../../api/client.js";
import { texts } from "../../../texts/texts.js";
import { say } from "../../../ui/toasts.js";
import { FILES_CHANGED } from "../../changes/reverting.js";
import { useEachPulse } from "../../pulse.js";
import type { Disk, File } from "../disk.js";
import { draftOf, keepDraft } from "../drafts.js";

export interface OpenFile {
  /** As it was last read, or saved; null while it is loaded. */
  file: File | null;
  /** What the editor is to show, whenever this is another object. */
  shown: { text: string };
  problem: Error | null;
  /** There are edits that are not saved. */
  dirty: boolean;
  saving: boolean;
  /** It is another one on disk by now, while there are edits. `gone`: there is none. */
  parted: "" | "changed" | "gone";
  /** The two are to be looked at side by side. */
  comparing: boolean;
  load(): Promise<void>;
  /** The editor has another text; `same`: as it was read. */
  edit(read: () => string, same: boolean): void;
  text(): string;
  save(over?: string): Promise<void>;
  saveAs(path: string): Promise<void>;
  /** Let the edits go, and show what is on disk. */
  discard(): Promise<void>;
  compare(open: boolean): void;
}

/** So long after the last key edits are kept. */
const PAUSE = 300;

export function useFile(disk: Disk, path: string): OpenFile {
  const { projectId } = disk;
  const [file, setFile] = useState<File | null>(null);
  const [shown, setShown] = useState({ text: "" });
  const [problem, setProblem] = useState<Error | null>(null);
  const [saving, setSaving] = useState(false);
  const [parted, setParted] = useState<OpenFile["parted"]>("");
  const [comparing, compare] = useState(false);
  const base = useRef<File | null>(null);
  const { dirty, edited, hold } = useEdits(projectId, path, base);

  const put = useCallback((next: File) => {
    base.current = next;
    setFile(next);
    setProblem(null);
    setParted("");
    compare(false);
  }, []);

  const load = useCallback(async () => {
    const draft = draftOf(projectId, path);
    const before = edited.current;
    try {
      const found = await disk.read(path);
      if (edited.current !== before) {
        // What is typed meanwhile is not written over.
        if (found.version !== base.current?.version) setParted("changed");
        return;
      }
      const kept = draft && !found.binary && draft.text !== found.content ? draft : null;
      put(kept ? { ...found, version: kept.version } : found);
      hold(kept ? () => kept.text : null);
      setShown({ text: kept?.text ?? found.content });
      if (kept && kept.version !== found.version) setParted("changed");
    } catch (error) {
      if (!(error instanceof Problem && error.status === 404 && draft)) {
        setProblem(error as Error);
        return;
      }
      put({ ...BLANK, path, version: draft.version });
      hold(() => draft.text);
      setShown({ text: draft.text });
      setParted("gone");
    }
  }, [disk, path, projectId, edited, hold, put]);
  useEffect(() => void load(), [load]);

  /** Look whether it is still the same. */
  const check = useCallback(async () => {
    const known = base.current;
    if (!known) return;
    const now = await disk.version(path).catch(() => undefined);
    if (now === undefined || base.current !== known || now === known.version) return;
    if (edited.current) setParted(now === null ? "gone" : "changed");
    else {
      await load();
      if (now !== null) say(texts.beside.files.renewed);
    }
  }, [disk, path, load, edited]);
  useEachPulse(() => void check());
  useEffect(() => {
    const look = () => void check();
    addEventListener(FILES_CHANGED, look);
    return () => removeEventListener(FILES_CHANGED, look);
  }, [check]);

  const text = () => edited.current?.() ?? base.current?.content ?? "";
  const save = async (over?: string) => {
    const known = base.current;
    if (!known || saving) return;
    const content = text();
    const read = edited.current;
    setSaving(true);
    try {
      const made = await disk.write(path, content, over ?? known.version, known.encoding || "utf-8");
      put({ ...known, content, version: made.version, size: made.size, next: made.size });
      hold(edited.current === read ? null : edited.current);
      dispatchEvent(new Event(FILES_CHANGED));
    } catch (error) {
      if (!(error instanceof Problem) || error.status !== 409) throw error;
      setParted(error.version === "" ? "gone" : "changed");
      compare(true);
    } finally {
      setSaving(false);
    }
  };
  const discard = async () => {
    const mine = { text: text(), version: base.current?.version ?? "" };
    hold(null);
    await load();
    const undo = () => {
      keepDraft(projectId, path, mine);
      void load();
    };
    say(texts.beside.files.tookTheirs, { undo });
  };
  const edit = (read: () => string, same: boolean) => hold(same && !parted ? null : read);
  const saveAs = async (to: string) => {
    await disk.write(to, text(), "", base.current?.encoding || "utf-8");
    dispatchEvent(new Event(FILES_CHANGED));
  };
  return {
    file,
    shown,
    problem,
    dirty,
    saving,
    parted,
    comparing,
    load,
    edit,
    text,
    save,
    saveAs,
    discard,
    compare,
  };
}

const BLANK: File = {
  path: "",
  content: "",
  version: "",
  size: 0,
  modified_at: 0,
  offset: 0,
  next: 0,
  binary: false,
  encoding: "utf-8",
  lines: 0,
  ends: "",
};

/** Edits of a file, read when they are needed, and kept a moment after the last one and when the file is left. */
function useEdits(projectId: string, path: string, base: { current: File | null }) {
  const [dirty, setDirty] = useState(false);
  const edited = useRef<(() => string) | null>(null);
  const waiting = useRef<ReturnType<typeof setTimeout> | undefined>(undefined);
  const keep = useCallback(() => {
    clearTimeout(waiting.current);
    const read = edited.current;
    const version = base.current?.version ?? "";
    keepDraft(projectId, path, read ? { text: read(), version } : null);
  }, [projectId, path, base]);
  const hold = useCallback(
    (read: (() => string) | null) => {
      edited.current = read;
      setDirty(read !== null);
      clearTimeout(waiting.current);
      if (read) waiting.current = setTimeout(keep, PAUSE);
      else keep();
    },
    [keep],
  );
  useEffect(() => {
    const leave = () => edited.current && keep();
    addEventListener("pagehide", leave);
    return () => {
      removeEventListener("pagehide", leave);
      leave();
    };
  }, [keep]);
  return { dirty, edited, hold };
}
