/** The editor, a chunk of its own: it holds a text, says when it changes, and keeps the line ends that the file has. */
import { defaultKeymap, history, historyKeymap, indentWithTab } from "@codemirror/commands";
import { bracketMatching, indentOnInput, indentUnit, LanguageDescription } from "@codemirror/language";
import { languages } from "@codemirror/language-data";
import { highlightSelectionMatches, openSearchPanel, search, searchKeymap } from "@codemirror/search";
import { Annotation, Compartment, EditorState, type Extension } from "@codemirror/state";
import {
  drawSelection,
  EditorView,
  highlightActiveLine,
  highlightActiveLineGutter,
  highlightSpecialChars,
  keymap,
  lineNumbers,
} from "@codemirror/view";
import { useEffect, useRef } from "react";
import { texts } from "../../../texts/texts.js";
import { LOOK } from "./editor-look.js";

export interface EditorProps {
  path: string;
  ends: string;
  /** What it shows, whenever this is another object. */
  shown: { text: string };
  /** What it begins with: the edits, where there are some. */
  begin(): string;
  /** The text that is not worth saving, as it is on disk. */
  saved: string;
  wrap: boolean;
  /** A line to go to. */
  line: { number: number } | null;
  searching: number;
  onEdit(read: () => string, same: boolean): void;
  onSave(): void;
}

const BROUGHT = Annotation.define<boolean>();

export default function Editor(props: EditorProps) {
  const { path, ends, shown, wrap, line, searching } = props;
  const place = useRef<HTMLDivElement>(null);
  const view = useRef<EditorView | null>(null);
  const now = useRef(props);
  now.current = props;
  const parts = useRef({ language: new Compartment(), wrap: new Compartment() });

  // biome-ignore lint/correctness/useExhaustiveDependencies: another file is another editor; the rest is brought in below
  useEffect(() => {
    const state = EditorState.create({
      doc: "",
      extensions: [
        EditorState.lineSeparator.of(ends === "crlf" ? "\r\n" : "\n"),
        parts.current.language.of([]),
        parts.current.wrap.of(wrap ? EditorView.lineWrapping : []),
        usual(path, () => now.current.onSave()),
        EditorView.updateListener.of((update) => {
          if (!update.docChanged || update.transactions.some((each) => each.annotation(BROUGHT))) return;
          const { state } = update;
          now.current.onEdit(() => state.sliceDoc(), state.doc.eq(state.toText(now.current.saved)));
        }),
      ],
    });
    const made = new EditorView({ state, parent: place.current! });
    view.current = made;
    bring(made, now.current.begin());
    let here = true;
    void LanguageDescription.matchFilename(languages, path.split("/").at(-1) ?? "")
      ?.load()
      .then((found) => here && made.dispatch({ effects: parts.current.language.reconfigure(found) }))
      // Without its colours it is a text all the same.
      .catch(() => {});
    return () => {
      here = false;
      made.destroy();
    };
  }, [path, ends]);

  const first = useRef(shown);
  useEffect(() => {
    if (view.current && first.current !== shown) bring(view.current, shown.text);
    first.current = shown;
  }, [shown]);
  useEffect(() => {
    view.current?.dispatch({
      effects: parts.current.wrap.reconfigure(wrap ? EditorView.lineWrapping : []),
    });
  }, [wrap]);
  useEffect(() => {
    const editor = view.current;
    if (!editor || !line) return;
    const { from } = editor.state.doc.line(Math.min(Math.max(1, line.number), editor.state.doc.lines));
    editor.dispatch({
      selection: { anchor: from },
      effects: EditorView.scrollIntoView(from, { y: "center" }),
    });
  }, [line]);
  useEffect(() => {
    if (searching && view.current) openSearchPanel(view.current);
  }, [searching]);
  return <div ref={place} className="min-h-0 flex-1 overflow-hidden font-mono" />;
}

/** Show another text, by changing only what differs: the cursor and what is seen stay. */
export function bring(view: EditorView, text: string): void {
  const next = view.state.toText(text);
  const { doc } = view.state;
  if (doc.eq(next)) return;
  const [old, fresh] = [doc.toString(), next.toString()];
  let from = 0;
  const least = Math.min(old.length, fresh.length);
  while (from < least && old.charCodeAt(from) === fresh.charCodeAt(from)) from++;
  let end = 0;
  while (end < least - from && old.at(-1 - end) === fresh.at(-1 - end)) end++;
  view.dispatch({
    changes: { from, to: old.length - end, insert: next.slice(from, fresh.length - end) },
    annotations: BROUGHT.of(true),
  });
}

function usual(path: string, save: () => void): Extension {
  return [
    lineNumbers(),
    highlightActiveLineGutter(),
    highlightActiveLine(),
    highlightSpecialChars(),
    history(),
    drawSelection(),
    indentOnInput(),
    indentUnit.of("  "),
    bracketMatching(),
    search({ top: true }),
    EditorState.phrases.of(texts.beside.files.editor),
    highlightSelectionMatches(),
    keymap.of([
      {
        key: "Mod-s",
        preventDefault: true,
        run: () => {
          save();
          return true;
        },
      },
      ...searchKeymap,
      ...historyKeymap,
      indentWithTab,
      ...defaultKeymap,
    ]),
    EditorView.contentAttributes.of({ "aria-label": texts.beside.files.content(path) }),
    LOOK,
  ];
}
