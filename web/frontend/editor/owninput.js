// What a program is run on: choosing the own input opens its fields, and filling them in chooses it. A file that is too
// large is said at once.

const OWN = "own";

export function enhanceOwnInput(form) {
  const { test, input, input_file: file } = form.elements;
  const part = form.querySelector("[data-own-input]");
  const note = part.querySelector("[data-input-note]");
  const choose = () => {
    test.value = OWN;
  };

  test.addEventListener("change", () => {
    part.open = test.value === OWN;
  });
  input.addEventListener("input", choose);
  file.addEventListener("change", () => {
    const [chosen] = file.files;
    note.textContent = "";
    if (!chosen) return;
    choose();
    if (chosen.size <= Number(note.dataset.maxBytes)) return;
    file.value = "";
    const [size, most] = [chosen.size, Number(note.dataset.maxBytes)].map((number) =>
      number.toLocaleString(document.documentElement.lang),
    );
    const values = { name: chosen.name, size, most };
    note.textContent = note.dataset.sayLarge.replace(/\{(\w+)\}/gu, (_, name) => values[name]);
  });
}
