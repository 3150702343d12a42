import { closeBrackets, closeBracketsKeymap } from "@codemirror/autocomplete";
import { defaultKeymap, history, historyKeymap } from "@codemirror/commands";
import { json } from "@codemirror/lang-json";
import { bracketMatching, indentOnInput, indentUnit } from "@codemirror/language";
import { lintKeymap, setDiagnostics } from "@codemirror/lint";
import { EditorState } from "@codemirror/state";
import {
  drawSelection,
  EditorView,
  highlightActiveLine,
  highlightActiveLineGutter,
  keymap,
  lineNumbers,
  placeholder,
} from "@codemirror/view";
import { useEffect, useRef } from "react";
import type { Remark } from "../playground/schema-remarks.ts";
import { editorTheme } from "./editor-theme.ts";
import { replaceSelection } from "./replace-selection.ts";

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
