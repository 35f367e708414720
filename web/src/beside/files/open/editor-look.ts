/** How the editor looks: the tokens of the page, and nothing else. */
import { HighlightStyle, syntaxHighlighting } from "@codemirror/language";
import type { Extension } from "@codemirror/state";
import { EditorView } from "@codemirror/view";
import { tags as t } from "@lezer/highlight";

const theme = EditorView.theme({
  "&": { height: "100%", fontSize: "13px", backgroundColor: "transparent", color: "var(--ink)" },
  "&.cm-focused": { outline: "none" },
  ".cm-scroller": { fontFamily: "inherit", lineHeight: "1.5", overflow: "auto" },
  ".cm-content": { caretColor: "var(--accent)", padding: "8px 0" },
  ".cm-cursor": { borderLeftColor: "var(--accent)", borderLeftWidth: "2px" },
  ".cm-gutters": { backgroundColor: "var(--surface)", color: "var(--ink-3)", border: "none" },
  ".cm-lineNumbers .cm-gutterElement": { padding: "0 8px 0 12px", minWidth: "32px" },
  ".cm-activeLine": { backgroundColor: "color-mix(in srgb, var(--sunken) 60%, transparent)" },
  ".cm-activeLineGutter": {
    backgroundColor: "color-mix(in srgb, var(--sunken) 60%, var(--surface))",
    color: "var(--ink)",
  },
  "&.cm-focused > .cm-scroller > .cm-selectionLayer .cm-selectionBackground, .cm-selectionBackground": {
    backgroundColor: "color-mix(in srgb, var(--accent) 24%, transparent)",
  },
  ".cm-matchingBracket, &.cm-focused .cm-matchingBracket": {
    backgroundColor: "transparent",
    outline: "1px solid var(--edge)",
  },
  ".cm-selectionMatch": { backgroundColor: "color-mix(in srgb, var(--note) 18%, transparent)" },
  ".cm-searchMatch": { backgroundColor: "color-mix(in srgb, var(--care) 26%, transparent)" },
  ".cm-searchMatch-selected": { outline: "1px solid var(--care)" },
  ".cm-panels": {
    backgroundColor: "var(--surface)",
    color: "var(--ink)",
    fontFamily: "ui-sans-serif, system-ui, sans-serif",
  },
  ".cm-button, .cm-textfield": { fontFamily: "inherit" },
  ".cm-panels-top": { borderBottom: "1px solid var(--line)" },
  ".cm-panel.cm-search": { padding: "6px 28px 6px 8px", fontSize: "12px" },
  ".cm-panel.cm-search label": { fontSize: "12px", marginRight: "6px" },
  ".cm-panel.cm-search [name=close]": { color: "var(--ink-2)", fontSize: "16px", right: "6px", top: "4px" },
  ".cm-textfield": {
    border: "1px solid var(--edge)",
    borderRadius: "6px",
    backgroundColor: "var(--surface)",
    fontSize: "12px",
    padding: "2px 6px",
  },
  ".cm-button": {
    border: "1px solid var(--edge)",
    borderRadius: "6px",
    backgroundColor: "var(--surface)",
    backgroundImage: "none",
    fontSize: "12px",
    padding: "2px 8px",
  },
  ".cm-specialChar": { color: "var(--bad)" },
});

const colours = HighlightStyle.define([
  { tag: [t.keyword, t.modifier, t.operatorKeyword, t.self], color: "var(--tok-keyword, var(--accent))" },
  { tag: [t.string, t.regexp, t.special(t.string)], color: "var(--tok-string, var(--good))" },
  { tag: t.escape, color: "var(--tok-escape, var(--care))" },
  { tag: [t.number, t.bool, t.null, t.atom], color: "var(--tok-number, var(--care))" },
  { tag: t.comment, color: "var(--ink-3)", fontStyle: "italic" },
  { tag: [t.typeName, t.className, t.namespace, t.tagName], color: "var(--tok-type, var(--note))" },
  {
    tag: [t.function(t.variableName), t.function(t.propertyName), t.definition(t.function(t.variableName))],
    color: "var(--tok-function, var(--note))",
  },
  { tag: [t.propertyName, t.attributeName], color: "var(--tok-property, var(--note))" },
  { tag: [t.meta, t.annotation, t.processingInstruction], color: "var(--ink-2)" },
  { tag: t.heading, fontWeight: "600" },
  { tag: t.strong, fontWeight: "600" },
  { tag: t.emphasis, fontStyle: "italic" },
  { tag: [t.link, t.url], color: "var(--note)" },
  { tag: t.inserted, color: "var(--good)" },
  { tag: t.deleted, color: "var(--bad)" },
  { tag: t.invalid, color: "var(--bad)" },
]);

export const LOOK: Extension = [theme, syntaxHighlighting(colours)];
