// A chosen file is loaded into the editor when it is UTF-8 text. One in another encoding that the server reads stays in
// the form and is sent as it is, byte for byte; one in none is taken out again.

// As problems/encodings.py has them, in its order. To browsers, "euc-kr" is CP949.
const BYTE_ORDER_MARKS = { "utf-16le": [0xff, 0xfe], "utf-16be": [0xfe, 0xff] };
const CP949 = "euc-kr";

export function enhanceFileInput(form, { replace, chooseLanguage }) {
  const input = form.elements.file;
  const extensions = JSON.parse(document.getElementById("extensions").textContent); // {".py": "python", ...}
  const note = form.querySelector("[data-file-note]");
  const maxBytes = Number(form.dataset.maxBytes);
  const locale = document.documentElement.lang;
  // A sentence of the page, with what stands in its braces.
  const say = (sentence, values) => {
    note.textContent = sentence.replace(/\{(\w+)\}/gu, (_, name) => values[name]);
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
    const language = extensions[(/\.[^.]+$/u.exec(file.name)?.[0] ?? "").toLowerCase()];
    if (language) chooseLanguage(language);
    const bytes = new Uint8Array(await file.arrayBuffer());
    const text = decoded(bytes, "utf-8");
    const encoding = text === null ? otherEncoding(bytes) : null;
    if (encoding) {
      say(note.dataset.sayConverted, { name: file.name, encoding: encoding.toUpperCase() });
      return;
    }
    input.value = "";
    if (text !== null) replace(text, file.name);
    say(text === null ? note.dataset.sayUnknown : note.dataset.sayLoaded, { name: file.name });
  };
  input.addEventListener("change", () => load(input.files[0]));
}

// The name of the encoding that the server will read the bytes in; null for none.
function otherEncoding(bytes) {
  for (const [encoding, mark] of Object.entries(BYTE_ORDER_MARKS)) {
    if (mark.every((byte, place) => bytes[place] === byte)) return decoded(bytes, encoding) === null ? null : "utf-16";
  }
  return decoded(bytes, CP949) === null ? null : "cp949";
}

function decoded(bytes, encoding) {
  try {
    return new TextDecoder(encoding, { fatal: true }).decode(bytes);
  } catch {
    return null;
  }
}
