// What every editor for source code has: CodeMirror set up as the site wants it.
import { defaultKeymap, history, historyKeymap, indentWithTab } from "@codemirror/commands";
import { bracketMatching, indentOnInput, indentUnit } from "@codemirror/language";
import { highlightSelectionMatches, search, searchKeymap } from "@codemirror/search";
import { EditorState } from "@codemirror/state";
import {
  drawSelection,
  EditorView,
  highlightActiveLine,
  keymap,
  lineNumbers,
  showPanel,
  ViewPlugin,
} from "@codemirror/view";

import { theme } from "./theme.js";

let hints = 0;
const phrases = JSON.parse(document.getElementById("editor-phrases").textContent); // its own words in the page's language
const nonce = () => document.querySelector("script[nonce]").nonce;

export function codeExtensions(form, label, onChange) {
  const submit = () => {
    form.requestSubmit();
    return true;
  };
  return [
    EditorView.cspNonce.of(nonce()),
    EditorState.phrases.of(phrases),
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
    keymap.of([...defaultKeymap, ...searchKeymap, ...historyKeymap, indentWithTab]),
    tabLeaves(form.dataset.sayTab),
    theme,
    // A tabindex of its own: what scrolls must be reachable by keyboard, and not every tool counts contenteditable.
    EditorView.contentAttributes.of({ "aria-label": label, tabindex: "0" }),
    EditorView.updateListener.of((update) => {
      if (update.docChanged) onChange(update.state.doc.toString());
    }),
  ];
}

// Tab moves the focus on, also through the editor, until something is typed in it; then Tab indents. Escape, then Tab
// leaves it again. `hint` says so below the text.
function tabLeaves(hint) {
  hints += 1;
  const id = `tab-hint-${hints}`;
  const leave = (view) => view.setTabFocusMode(true);
  const panel = () => {
    const dom = document.createElement("p");
    Object.assign(dom, { className: "help editor-hint", id, textContent: hint });
    return { dom };
  };
  return [
    ViewPlugin.define((view) => {
      queueMicrotask(() => leave(view)); // its input is not set up yet
      return {};
    }),
    EditorView.domEventHandlers({
      keydown: (event, view) => {
        if (event.key === "Escape") leave(view);
      },
      blur: (_, view) => {
        if (document.hasFocus()) leave(view); // not when only the window changes
      },
    }),
    EditorView.updateListener.of((update) => {
      if (update.transactions.some((transaction) => transaction.isUserEvent("input")))
        update.view.setTabFocusMode(false);
    }),
    ...(hint ? [showPanel.of(panel), EditorView.contentAttributes.of({ "aria-describedby": id })] : []),
  ];
}
