import { HighlightStyle, syntaxHighlighting } from "@codemirror/language";
import type { Extension } from "@codemirror/state";
import { EditorView } from "@codemirror/view";
import { tags } from "@lezer/highlight";

const look = EditorView.theme({
  "&": { height: "100%", backgroundColor: "transparent", color: "var(--ink)", fontSize: "13px" },
  "&.cm-focused": { outline: "none" },
  ".cm-scroller": { fontFamily: "var(--mono)", lineHeight: "1.6", overflow: "auto" },
  ".cm-content": { padding: "12px 0", caretColor: "var(--ink)" },
  ".cm-line": { padding: "0 16px 0 6px" },
  ".cm-gutters": { backgroundColor: "transparent", color: "var(--ink-faint)", border: "none", paddingLeft: "4px" },
  ".cm-activeLine": { backgroundColor: "transparent" },
  "&.cm-focused .cm-activeLine": { backgroundColor: "var(--surface-sunken)" },
  ".cm-activeLineGutter": { backgroundColor: "transparent", color: "var(--ink)" },
  ".cm-cursor": { borderLeftColor: "var(--ink)" },
  "&.cm-focused > .cm-scroller > .cm-selectionLayer .cm-selectionBackground, .cm-selectionBackground": {
    backgroundColor: "light-dark(#ffdcc5, #4a2813)",
  },
  ".cm-matchingBracket, &.cm-focused .cm-matchingBracket": {
    backgroundColor: "var(--surface-selected)",
    outline: "1px solid var(--line-strong)",
  },
  // The library's own underline is an image in a data URL, which the page's policy does not allow.
  ".cm-lintRange-error": {
    backgroundImage: "none",
    textDecoration: "underline wavy var(--bad-solid)",
    textUnderlineOffset: "3px",
  },
  ".cm-lintRange-warning": {
    backgroundImage: "none",
    textDecoration: "underline wavy var(--warn)",
    textUnderlineOffset: "3px",
  },
  ".cm-tooltip": {
    backgroundColor: "var(--surface-raised)",
    color: "var(--ink)",
    border: "1px solid var(--line-strong)",
    borderRadius: "8px",
    boxShadow: "var(--shadow-lg)",
    fontFamily: "var(--sans)",
    overflow: "hidden",
  },
  ".cm-diagnostic": { padding: "6px 10px", maxWidth: "420px" },
  ".cm-diagnostic-error": { borderLeft: "3px solid var(--bad-solid)" },
  ".cm-diagnostic-warning": { borderLeft: "3px solid var(--warn)" },
  ".cm-placeholder": { color: "var(--ink-faint)" },
});

const colours = HighlightStyle.define([
  { tag: tags.propertyName, color: "light-dark(#18181b, #f4f4f5)", fontWeight: "500" },
  { tag: tags.string, color: "light-dark(#15703c, #7ee2a8)" },
  { tag: tags.number, color: "light-dark(#1d4ed8, #82b1ff)" },
  { tag: [tags.bool, tags.null], color: "light-dark(#9333ea, #c99bff)" },
  { tag: [tags.punctuation, tags.separator, tags.bracket], color: "light-dark(#68686f, #8f8f99)" },
]);

/** The look of the editor, in the colours of the page. */
export const editorTheme: Extension = [look, syntaxHighlighting(colours)];
