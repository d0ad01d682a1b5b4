// The editor on a problem's page, and those of an experiment's form. The form works without it: this puts CodeMirror
// over the plain textarea, follows the choice of language, keeps drafts in this browser and loads a chosen file.
import { Compartment } from "@codemirror/state";
import { EditorView } from "@codemirror/view";

import { codeExtensions } from "./code.js";
import { drafts } from "./drafts.js";
import { languageOf } from "./languages.js";
import { enhanceFileInput } from "./sourcefile.js";
import { enhanceSources } from "./sources.js";

const form = document.querySelector("form[data-draft]");
if (form) start(form);
document.querySelectorAll("form[data-sources]").forEach(enhanceSources);

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
    extensions: [...codeExtensions(form, source.parentElement.dataset.saySource, onChange), mode.of(languageOf(language.value))],
  });
  source.hidden = true;
  form.querySelector("label[for=id_source]").addEventListener("click", () => view.focus());

  const replace = (text) => view.dispatch({ changes: { from: 0, to: view.state.doc.length, insert: text } });
  const chooseLanguage = (id) => {
    language.value = id;
    store.rememberLanguage(id);
    view.dispatch({ effects: mode.reconfigure(languageOf(id)) });
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

function sendOnce(form) {
  const button = form.querySelector("button[type=submit]");
  button.querySelector("kbd").hidden = false;
  form.addEventListener("submit", () => (button.disabled = true));
  // The browser may bring this page back from its cache, with the button still off.
  window.addEventListener("pageshow", () => (button.disabled = false));
}
