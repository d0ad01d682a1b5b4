// What every editor for source code has: CodeMirror set up as the site wants it.
import { defaultKeymap, history, historyKeymap, indentWithTab } from "@codemirror/commands";
import { bracketMatching, indentOnInput, indentUnit } from "@codemirror/language";
import { highlightSelectionMatches, search, searchKeymap } from "@codemirror/search";
import { EditorState } from "@codemirror/state";
import { drawSelection, EditorView, highlightActiveLine, keymap, lineNumbers } from "@codemirror/view";

import { theme } from "./theme.js";

const nonce = () => document.querySelector("script[nonce]").nonce;

export function codeExtensions(form, label, onChange) {
  const submit = () => (form.requestSubmit(), true);
  return [
    EditorView.cspNonce.of(nonce()),
    keymap.of([{ key: "Mod-Enter", run: submit }]),
    lineNumbers(),
    history(),
    drawSelection(),
    indentOnInput(),
    indentUnit.of("    "),
    EditorState.tabSize.of(4),
    bracketMatching(),
    highlightActiveLine(),
    highlightSelectionMatches(),
    search({ top: true }),
    // Escape, then Tab leaves the editor: CodeMirror's own way out for people without a mouse.
    keymap.of([...defaultKeymap, ...searchKeymap, ...historyKeymap, indentWithTab]),
    theme,
    EditorView.contentAttributes.of({ "aria-label": label }),
    EditorView.updateListener.of((update) => {
      if (update.docChanged) onChange(update.state.doc.toString());
    }),
  ];
}
