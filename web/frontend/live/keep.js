// A swap replaces #live: what the reader has opened or closed stays as it was, and the focus stays where it was. How it
// works: what has an id is found by it again; a link or a button without one, as the one with the same words and address
// in the nearest part that has an id.

const chosen = new Map(); // by id, whether it is open
let focused = null;

export function keepPlace() {
  document.addEventListener("click", (event) => {
    const details = event.target.closest("summary")?.parentElement;
    if (details?.id) chosen.set(details.id, !details.open);
  });
  document.addEventListener("tally:revealed", (event) => {
    if (event.target.id) chosen.set(event.target.id, true);
  });
  document.addEventListener("htmx:beforeSwap", rememberFocus);
  document.addEventListener("htmx:afterSwap", () => {
    for (const [id, open] of chosen) {
      const details = document.getElementById(id);
      if (details) details.open = open;
    }
    const element = focused && find(focused);
    focused = null;
    if (element && element !== document.activeElement) element.focus({ preventScroll: true });
  });
}

// Before what has the focus is hidden or replaced. What was hidden before the swap has lost it, and is remembered still.
function rememberFocus() {
  const element = document.activeElement;
  if (element?.closest("#live")) focused = placeOf(element);
  else if (element !== document.body) focused = null;
}

function placeOf(element) {
  if (element.id) return { id: element.id };
  const part = element.parentElement.closest("[id]");
  const kind = { tag: element.tagName, address: element.getAttribute("href"), words: element.textContent };
  return { part: part.id, kind, place: alike(part, kind).indexOf(element) };
}

function find({ id, part, kind, place }) {
  if (id) return document.getElementById(id);
  const now = document.getElementById(part);
  return now && alike(now, kind)[place];
}

const alike = (part, { tag, address, words }) =>
  [...part.querySelectorAll(tag)].filter(
    (element) => element.getAttribute("href") === address && element.textContent === words,
  );
