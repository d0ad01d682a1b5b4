// Before a program is sent: does it look like another language than the chosen one? The same marks and the same rule as
// judge/grading/languages/recognition.py, which asks again on the server. Whoever means it sends it anyway.

const LOOKED_AT = 16 * 1024;

export function guardLanguage(form) {
  const note = form.querySelector("[data-mismatch]");
  const languages = JSON.parse(document.getElementById("telltales").textContent); // {"cpp": {name, marks}, ...}
  const { source, language, file } = form.elements;
  const patterns = {};
  const marksOf = (id, text) => {
    patterns[id] ??= languages[id].marks.map((mark) => new RegExp(mark, "mu"));
    return patterns[id].filter((pattern) => pattern.test(text)).length;
  };
  const looksLike = () => {
    const text = source.value.slice(0, LOOKED_AT).replaceAll("\r\n", "\n");
    const chosen = language.value;
    if (!languages[chosen] || marksOf(chosen, text)) return null;
    const marks = Object.keys(languages).map((id) => [id, marksOf(id, text)]);
    const most = Math.max(...marks.map(([, number]) => number));
    const likeliest = marks.filter(([, number]) => number === most);
    return most && likeliest.length === 1 ? likeliest[0][0] : null;
  };

  form.addEventListener("submit", (event) => {
    const { submitter } = event;
    if (submitter?.name === "take_as" || submitter?.hasAttribute("formaction") || file.files.length > 0) return;
    const other = looksLike();
    if (!other) return;
    event.preventDefault();
    say(note, languages, other, language.value);
  });
  language.addEventListener("change", () => hide(note));
}

function say(note, languages, other, chosen) {
  const words = { other: languages[other].name, chosen: languages[chosen].name };
  const filled = (sentence) => sentence.replace(/\{(\w+)\}/gu, (_, name) => words[name]);
  note.hidden = false;
  note.querySelector("p").textContent = filled(note.dataset.say);
  const [asOther, anyway] = note.querySelectorAll("button");
  asOther.value = other;
  anyway.value = chosen;
  for (const button of [asOther, anyway]) {
    button.textContent = filled(button.dataset.say);
    button.disabled = false;
  }
  const isOffered = [...note.closest("form").elements.language.options].some((option) => option.value === other);
  asOther.hidden = !isOffered;
  (isOffered ? asOther : anyway).focus();
}

function hide(note) {
  note.hidden = true;
  for (const button of note.querySelectorAll("button")) button.disabled = true;
}
