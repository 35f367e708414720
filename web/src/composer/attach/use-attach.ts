/** Takes what is pasted, dropped or chosen into the draft, as far as a prompt holds it; the rest may be saved as a file. */
import { type ClipboardEvent, useState } from "react";
import { texts } from "../../texts/texts.js";
import { say } from "../../ui/toasts.js";
import { contentOf, type Draft, LONG, MOST, type Piece, sizeOf } from "../piece.js";
import { base64, fitted } from "./image.js";
import { kindOf, pastedName } from "./kind.js";

/** Something that no prompt holds. */
export interface TooMuch {
  id: string;
  name: string;
  body: Blob;
  why: "large" | "binary";
}

export interface Attach {
  take(files: Iterable<File>): Promise<void>;
  /** True: the paste was taken, and does not go into the box. */
  paste(event: ClipboardEvent): boolean;
  /** What is offered to be saved in the project, the first of them first. */
  saving: TooMuch[];
  saved(): void;
}

/** Pieces of one prompt. */
const MOST_PIECES = 40;
/** What the names of a piece and its braces take. */
const AROUND = 500;

export function useAttach(now: () => Draft, change: (next: (draft: Draft) => Draft) => void): Attach {
  const { composer } = texts;
  const [saving, setSaving] = useState<TooMuch[]>([]);
  const left = () => MOST - AROUND - sizeOf(contentOf(now()));
  const add = (piece: Piece) => change((draft) => ({ ...draft, pieces: [...draft.pieces, piece] }));
  const offer = (one: Omit<TooMuch, "id">) =>
    setSaving((list) => [...list, { id: crypto.randomUUID(), ...one }]);

  const takeOne = async (file: File) => {
    const kind = await kindOf(file, left());
    const id = crypto.randomUUID();
    if (kind === "large" || kind === "binary") return offer({ name: file.name, body: file, why: kind });
    if (kind === "text") {
      const piece = { kind, id, name: file.name, text: await file.text() };
      // In a request it may be longer than on the disk.
      if (sizeOf(piece.text) < left()) add(piece);
      else offer({ name: file.name, body: file, why: "large" });
      return;
    }
    if (kind === "document")
      return add({ kind, id, name: file.name, mediaType: file.type, data: await base64(file) });
    try {
      const { size, ...rest } = await fitted(file, left());
      add({ kind, id, name: file.name, ...rest });
      if (size) say(composer.scaled(file.name, size));
    } catch (error) {
      say(error instanceof RangeError ? composer.full : composer.badImage(file.name), { bad: true });
    }
  };
  const take = async (files: Iterable<File>) => {
    for (const file of files) {
      if (now().pieces.length >= MOST_PIECES) return say(composer.full, { bad: true });
      // A folder that is dropped looks like a file, until it is read.
      await takeOne(file).catch(() => say(composer.unreadable(file.name), { bad: true }));
    }
  };
  const paste = (event: ClipboardEvent) => {
    const text = event.clipboardData.getData("text/plain");
    const files = [...event.clipboardData.files];
    // A table or a page comes with a picture of itself: the words are meant.
    if (files.length && !text.trim()) void take(files);
    else if (text.length <= LONG) return false;
    else if (text.length < MOST && sizeOf(text) < left())
      add({ kind: "text", id: crypto.randomUUID(), name: "", text });
    else offer({ name: pastedName(), body: new Blob([text], { type: "text/plain" }), why: "large" });
    return true;
  };
  return { take, paste, saving, saved: () => setSaving((list) => list.slice(1)) };
}
