// While a program is written: does it look like another language than the chosen one? The server says so, by the rule
// with which it asks again when the program is sent. Whoever means it sends it anyway.

const LOOKED_AT = 16 * 1024; // characters, as judge/grading/languages/__init__.py looks at
const PAUSE_MS = 700; // so long nothing is typed
const PATIENCE_MS = 5000;

// Returns what to call whenever the text or its language changes.
export function guardLanguage(form) {
  const place = form.querySelector("[data-mismatch]");
  const { source, language, file, csrfmiddlewaretoken } = form.elements;
  const written = () => ({ language: language.value, source: source.value.slice(0, LOOKED_AT) });
  const isAbout = (program) => program.language === language.value && source.value.startsWith(program.source);
  let pause = 0;
  let asking = new AbortController();
  let answered = written(); // the program that the note is about

  const ask = async () => {
    const program = written();
    const body = new FormData();
    body.set("csrfmiddlewaretoken", csrfmiddlewaretoken.value);
    for (const [name, value] of Object.entries(program)) body.set(name, value);
    asking = new AbortController();
    const { signal } = asking;
    const patience = setTimeout(() => asking.abort(), PATIENCE_MS);
    try {
      const answer = await fetch(place.dataset.mismatch, { method: "POST", body, signal, redirect: "error" });
      place.innerHTML = answer.status === 200 ? await answer.text() : "";
      answered = program;
    } catch {
      // no answer: the server asks again when the program is sent
    } finally {
      clearTimeout(patience);
    }
  };

  form.addEventListener("submit", (event) => {
    const { submitter } = event;
    if (submitter?.name === "take_as" || submitter?.hasAttribute("formaction") || file.files.length > 0) return;
    const choice = place.querySelector("button:not([hidden])");
    if (!choice || !isAbout(answered)) return;
    event.preventDefault();
    choice.focus();
  });
  return () => {
    clearTimeout(pause);
    asking.abort();
    if (answered.language !== language.value || !source.value.trim()) place.replaceChildren();
    if (source.value.trim()) pause = setTimeout(ask, PAUSE_MS);
  };
}
