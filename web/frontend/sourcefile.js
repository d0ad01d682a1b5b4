// A chosen file is loaded into the editor when it is text. One that is not UTF-8 stays in the form and is sent as it
// is, byte for byte.

export function enhanceFileInput(form, { replace, chooseLanguage }) {
  const input = form.elements.file;
  const extensions = JSON.parse(document.getElementById("extensions").textContent); // {".py": "python", ...}
  const note = form.querySelector("[data-file-note]");
  const maxBytes = Number(form.dataset.maxBytes);

  const load = async (file) => {
    note.textContent = "";
    if (!file) return;
    if (file.size > maxBytes) {
      input.value = "";
      note.textContent = `${file.name} has ${file.size.toLocaleString("en")} bytes; at most ${maxBytes.toLocaleString("en")} are allowed.`;
      return;
    }
    const language = extensions[(/\.[^.]+$/.exec(file.name)?.[0] ?? "").toLowerCase()];
    if (language) chooseLanguage(language);
    const text = await textOf(file);
    if (text === null) {
      note.textContent = `${file.name} is not UTF-8 text. It is sent as it is, instead of the text in the editor.`;
      return;
    }
    input.value = "";
    replace(text);
    note.textContent = `${file.name} is in the editor now.`;
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
