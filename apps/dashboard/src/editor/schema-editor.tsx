import { closeBrackets, closeBracketsKeymap } from "@codemirror/autocomplete";
import { defaultKeymap, history, historyKeymap } from "@codemirror/commands";
import { json } from "@codemirror/lang-json";
import { bracketMatching, HighlightStyle, indentOnInput, indentUnit, syntaxHighlighting } from "@codemirror/language";
import { lintKeymap, setDiagnostics } from "@codemirror/lint";
import { EditorState, type Extension } from "@codemirror/state";
import {
  drawSelection,
  EditorView,
  highlightActiveLine,
  highlightActiveLineGutter,
  keymap,
  lineNumbers,
  placeholder,
} from "@codemirror/view";
import { tags } from "@lezer/highlight";
import { useEffect, useRef } from "react";
import type { Remark } from "../playground/schema-remarks.ts";

/**
 * Replaces a selection when the user types over it. By default, Chromium would keep the look of the replaced text with
 * an inline style, which the page's Content-Security-Policy blocks and reports.
 */
const replaceSelection = EditorView.domEventHandlers({
  beforeinput(event, view) {
    const { data, inputType } = event;
    const { from, to, empty } = view.state.selection.main;
    if (inputType !== "insertText" || data === null || empty || view.composing) return false;
    const insert = () =>
      view.state.update(view.state.replaceSelection(data), { userEvent: "input.type", scrollIntoView: true });
    // Brackets and quotes may go around a selection instead.
    const isHandled = view.state.facet(EditorView.inputHandler).some((handle) => handle(view, from, to, data, insert));
    if (!isHandled) view.dispatch(insert());
    event.preventDefault();
    return true;
  },
});

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
const editorTheme: Extension = [look, syntaxHighlighting(colours)];

export type SchemaEditorProps = {
  readonly text: string;
  readonly onChange: (text: string) => void;
  readonly remarks: readonly Remark[];
  /** A place in the text to move to. A new object moves there again. */
  readonly goTo: { readonly at: number } | undefined;
};

/**
 * The editor of the schema, in a shadow root. There CodeMirror adds its styles as constructed style sheets, which the
 * page's Content-Security-Policy allows. Outside it would add style elements, which the policy forbids. Tab leaves the
 * editor.
 */
export function SchemaEditor({ text, onChange, remarks, goTo }: SchemaEditorProps) {
  const host = useRef<HTMLDivElement>(null);
  const view = useRef<EditorView>(null);
  const change = useRef(onChange);
  change.current = onChange;

  // The editor is created once; the effects below update it.
  useEffect(() => {
    if (!host.current) return;
    const root = host.current.shadowRoot ?? host.current.attachShadow({ mode: "open" });
    const editor = new EditorView({
      root,
      parent: root,
      state: EditorState.create({
        doc: text,
        extensions: [
          ...basics(),
          EditorView.updateListener.of((update) => {
            if (update.docChanged) change.current(update.state.doc.toString());
          }),
        ],
      }),
    });
    view.current = editor;
    return () => {
      view.current = null;
      editor.destroy();
    };
  }, []);

  useEffect(() => {
    const editor = view.current;
    if (!editor || editor.state.doc.toString() === text) return;
    editor.dispatch({ changes: { from: 0, to: editor.state.doc.length, insert: text } });
  }, [text]);

  useEffect(() => {
    const editor = view.current;
    if (!editor) return;
    const { length } = editor.state.doc;
    const diagnostics = remarks.map(({ from, to, severity, reason }) => ({
      from: Math.min(from, length),
      to: Math.min(to, length),
      severity,
      message: reason,
    }));
    editor.dispatch(setDiagnostics(editor.state, diagnostics));
  }, [remarks]);

  useEffect(() => {
    const editor = view.current;
    if (!editor || !goTo) return;
    const anchor = Math.min(goTo.at, editor.state.doc.length);
    editor.dispatch({ selection: { anchor }, scrollIntoView: true });
    editor.focus();
  }, [goTo]);

  return <div ref={host} className="schema-editor" />;
}

function basics() {
  return [
    lineNumbers(),
    highlightActiveLine(),
    highlightActiveLineGutter(),
    history(),
    drawSelection(),
    indentUnit.of("  "),
    indentOnInput(),
    bracketMatching(),
    closeBrackets(),
    json(),
    placeholder('{ "goals": [{ "at": "timestamp" }] }'),
    EditorView.lineWrapping,
    EditorView.contentAttributes.of({ "aria-label": "Schema", "aria-multiline": "true", tabindex: "0" }),
    editorTheme,
    replaceSelection,
    keymap.of([...closeBracketsKeymap, ...defaultKeymap, ...historyKeymap, ...lintKeymap]),
  ];
}
