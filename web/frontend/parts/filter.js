// A search field with data-filter="ID" hides the children of that element that do not have its words. Without JavaScript
// it stays hidden, and the list is whole.

export function enhanceFilter(field) {
  const rows = [...document.getElementById(field.dataset.filter).children];
  const texts = rows.map((row) => folded(row.textContent));

  const show = () => {
    const words = folded(field.value).split(/\s+/u);
    rows.forEach((row, place) => {
      row.hidden = !words.every((word) => texts[place].includes(word));
    });
  };

  field.closest("[hidden]").hidden = false;
  field.addEventListener("input", show);
  field.addEventListener("keydown", (event) => {
    if (event.key === "Enter") event.preventDefault(); // the form around it is not sent
  });
}

function folded(text) {
  return text.normalize("NFC").toLocaleLowerCase();
}
