import { EditorView } from "@codemirror/view";

/**
 * Replaces a selection when the user types over it. By default, Chromium would keep the look of the replaced text with
 * an inline style, which the page's Content-Security-Policy blocks and reports.
 */
export const replaceSelection = EditorView.domEventHandlers({
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
