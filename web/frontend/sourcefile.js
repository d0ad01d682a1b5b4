// A chosen file is loaded into the editor when it is text. One that is not UTF-8 stays in the form and is sent as it
// is, byte for byte.

export function enhanceFileInput(form, { replace, chooseLanguage }) {
  const input = form.elements.file;
  const extensions = JSON.parse(document.getElementById("extensions").textContent); // {".py": "python", ...}
  const note = form.querySelector("[data-file-note]");
  const maxBytes = Number(form.dataset.maxBytes);
  const locale = document.documentElement.lang;
  // A sentence of the page, with what stands in its braces.
  const say = (sentence, values) => {
    note.textContent = sentence.replace(/\{(\w+)\}/g, (_, name) => values[name]);
  };

  const load = async (file) => {
    note.textContent = "";
    if (!file) return;
    if (file.size > maxBytes) {
      input.value = "";
      const [size, most] = [file.size, maxBytes].map((number) => number.toLocaleString(locale));
      say(note.dataset.sayLarge, { name: file.name, size, most });
      return;
    }
    const language = extensions[(/\.[^.]+$/.exec(file.name)?.[0] ?? "").toLowerCase()];
    if (language) chooseLanguage(language);
    const text = await textOf(file);
    if (text === null) {
      say(note.dataset.sayBinary, { name: file.name });
      return;
    }
    input.value = "";
    replace(text);
    say(note.dataset.sayLoaded, { name: file.name });
  };
  input.addEventListener("change", () => load(input.files[0]));
}

async function textOf(file) {
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(await file.arrayBuffer());
  } catch {
    return null;
  }
}
