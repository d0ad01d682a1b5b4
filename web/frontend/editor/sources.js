// The form of an experiment: an editor over the source of each variant, in the language that is chosen beside it.
import { Compartment } from "@codemirror/state";
import { EditorView } from "@codemirror/view";

import { codeExtensions } from "./code.js";
import { languageOf } from "./languages.js";

export function enhanceSources(form) {
  for (const row of form.querySelectorAll("[data-source]")) enhanceSource(form, row);
}

function enhanceSource(form, row) {
  const source = row.querySelector("textarea");
  const language = row.querySelector("select");
  const mode = new Compartment();
  const view = new EditorView({
    doc: source.value,
    parent: source.parentElement,
    extensions: [
      ...codeExtensions(form, source.getAttribute("aria-label"), (text) => {
        source.value = text;
      }),
      mode.of(languageOf(language.value)),
    ],
  });
  source.hidden = true;
  language.addEventListener("change", () => view.dispatch({ effects: mode.reconfigure(languageOf(language.value)) }));
}
