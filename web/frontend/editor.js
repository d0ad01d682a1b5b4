// The editor on a problem's page. The form works without it: this puts CodeMirror over the plain textarea, follows the
// choice of language, keeps drafts in this browser and loads a chosen file.
import { defaultKeymap, history, historyKeymap, indentWithTab } from "@codemirror/commands";
import { cpp } from "@codemirror/lang-cpp";
import { python } from "@codemirror/lang-python";
import { rust } from "@codemirror/lang-rust";
import { bracketMatching, indentOnInput, indentUnit } from "@codemirror/language";
import { highlightSelectionMatches, search, searchKeymap } from "@codemirror/search";
import { Compartment, EditorState } from "@codemirror/state";
import { drawSelection, EditorView, highlightActiveLine, keymap, lineNumbers } from "@codemirror/view";

import { drafts } from "./drafts.js";
import { enhanceFileInput } from "./sourcefile.js";
import { theme } from "./theme.js";

const MODES = { python, cpp, rust };
const modeOf = (id) => MODES[id]?.() ?? [];
const nonce = () => document.querySelector("script[nonce]").nonce;

const form = document.querySelector("form[data-draft]");
if (form) start(form);

function start(form) {
  const { source, language } = form.elements;
  const store = drafts(form.dataset.draft);
  const mode = new Compartment();
  const cameBack = source.value !== ""; // the server refused it and shows it again: that text comes before any draft
  if (!cameBack) {
    language.value = chosenBefore(language, store);
    source.value = store.load(language.value);
  }
  const onChange = (text) => {
    source.value = text;
    store.save(language.value, text);
  };
  const view = new EditorView({
    doc: source.value,
    parent: source.parentElement,
    extensions: [...extensionsOf(form, onChange), mode.of(modeOf(language.value))],
  });
  source.hidden = true;
  form.querySelector("label[for=id_source]").addEventListener("click", () => view.focus());

  const replace = (text) => view.dispatch({ changes: { from: 0, to: view.state.doc.length, insert: text } });
  const chooseLanguage = (id) => {
    language.value = id;
    store.rememberLanguage(id);
    view.dispatch({ effects: mode.reconfigure(modeOf(id)) });
  };
  language.addEventListener("change", () => {
    chooseLanguage(language.value);
    const draft = store.load(language.value);
    if (draft) replace(draft); // without one the text stays: it may have been pasted before the language was chosen
  });
  enhanceFileInput(form, { replace, chooseLanguage });
  sendOnce(form);
}

function chosenBefore(select, store) {
  const remembered = store.language();
  return [...select.options].some((option) => option.value === remembered) ? remembered : select.value;
}

function extensionsOf(form, onChange) {
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
    EditorView.contentAttributes.of({ "aria-label": "Source code" }),
    EditorView.updateListener.of((update) => {
      if (update.docChanged) onChange(update.state.doc.toString());
    }),
  ];
}

function sendOnce(form) {
  const button = form.querySelector("button[type=submit]");
  button.querySelector("kbd").hidden = false;
  form.addEventListener("submit", () => (button.disabled = true));
  // The browser may bring this page back from its cache, with the button still off.
  window.addEventListener("pageshow", () => (button.disabled = false));
}
