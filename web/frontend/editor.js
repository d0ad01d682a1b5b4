// The editor on a problem's page, and those of an experiment's form. The form works without it: this puts CodeMirror
// over the plain textarea, follows the choice of language, keeps drafts in this browser and loads a chosen file.
import { Compartment } from "@codemirror/state";
import { EditorView } from "@codemirror/view";

import { codeExtensions } from "./editor/code.js";
import { drafts } from "./editor/drafts.js";
import { languageOf } from "./editor/languages.js";
import { guardLanguage } from "./editor/mismatch.js";
import { enhanceOwnInput } from "./editor/owninput.js";
import { enhanceFileInput } from "./editor/sourcefile.js";
import { enhanceSources } from "./editor/sources.js";

document.querySelectorAll("form[data-draft]").forEach(start);
document.querySelectorAll("form[data-sources]").forEach(enhanceSources);

function start(form) {
  const { source, language } = form.elements;
  const store = drafts(form.dataset.draft);
  const mode = new Compartment();
  const starters = JSON.parse(document.getElementById("starters").textContent); // {"python": "def solve(", ...}
  const starterOf = (id) => starters[id] ?? "";
  const cameBack = source.value !== ""; // refused and shown again, or a submission to edit: it comes before any draft
  if (!cameBack) {
    language.value = chosenBefore(language, store);
    source.value = store.load(language.value) || starterOf(language.value);
  } else if ("edits" in form.dataset) {
    const draft = store.load(language.value);
    if (draft && draft !== source.value) store.keep(language.value, draft);
  }
  const askLanguage = guardLanguage(form);
  const onChange = (text) => {
    source.value = text;
    store.save(language.value, text === starterOf(language.value) ? "" : text);
    askLanguage();
  };
  const view = new EditorView({
    doc: source.value,
    parent: source.parentElement,
    extensions: [
      ...codeExtensions(form, source.parentElement.dataset.saySource, onChange),
      mode.of(languageOf(language.value)),
    ],
  });
  source.hidden = true;
  form.querySelector("label[for=id_source]").addEventListener("click", () => view.focus());

  // `name`: that of the file which the text is from.
  const replace = (text, name = "") => {
    form.elements.file_name.value = name;
    view.dispatch({ changes: { from: 0, to: view.state.doc.length, insert: text } });
  };
  let chosen = language.value;
  const chooseLanguage = (id) => {
    chosen = id;
    language.value = id;
    store.rememberLanguage(id);
    view.dispatch({ effects: mode.reconfigure(languageOf(id)) });
    askLanguage();
  };
  language.addEventListener("change", () => {
    const starter = starterOf(chosen);
    const isUntouched = view.state.doc.toString() === starter;
    chooseLanguage(language.value);
    const text = store.load(chosen) || (isUntouched ? starterOf(chosen) : "");
    // without one the text stays: it may have been pasted before the language was chosen
    if (text || (isUntouched && starter)) replace(text);
    offerKept();
  });
  const offerKept = offerKeptDraft(form, store, view, replace);
  enhanceFileInput(form, { replace, chooseLanguage });
  enhanceOwnInput(form);
  sendOnce(form);
}

// Offers the text that a submission to edit took the place of. The one in the editor is kept in its turn.
function offerKeptDraft(form, store, view, replace) {
  const { language } = form.elements;
  const note = form.querySelector("[data-kept-draft]");
  const show = () => {
    note.hidden = !store.hasKept(language.value);
  };
  note.querySelector("button").addEventListener("click", () => {
    replace(store.swapKept(language.value, view.state.doc.toString()));
    view.focus();
    show();
  });
  show();
  return show;
}

function chosenBefore(select, store) {
  const remembered = store.language();
  return [...select.options].some((option) => option.value === remembered) ? remembered : select.value;
}

function sendOnce(form) {
  const button = form.querySelector(".submit-row button[type=submit]");
  button.querySelector("kbd").hidden = false;
  form.addEventListener("submit", (event) => {
    if (!event.defaultPrevented) button.disabled = true;
  });
  // The browser may bring this page back from its cache, with the button still off.
  addEventListener("pageshow", () => {
    button.disabled = false;
  });
}
