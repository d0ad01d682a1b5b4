// A new problem's files: dropped or chosen all at once, they are sorted to their inputs by name, by the page's rules
// (`web/forms/typed/files.py` sorts by the same ones where no script runs), and shown with their places before they are
// sent. A file of no known place stays in the first input until it gets one. A checker that comes is selected as the
// comparison: why else would it be there?
import { acceptDrops } from "./drop.js";

const TESTLIB = /^[ \t]*#[ \t]*include[ \t]*["<]([^">\n]*\/)?testlib\.h[">]/mu;
const MOST_BYTES = 1024 * 1024; // of a source

export function enhancePlaces(root) {
  const zone = root.querySelector("[data-zone]");
  if (!zone) return;
  const form = zone.closest("form");
  const unsorted = zone.querySelector("input");
  const places = placesOf(form, unsorted);
  const list = form.querySelector("[data-sorted]");

  const show = () => {
    const lines = places.all().map(({ file, place }) => lineOf(file, place));
    list.replaceChildren(...lines);
    list.hidden = lines.length === 0;
    form.dispatchEvent(new Event("tally:files"));
  };
  const put = (file, place) => {
    places.add(file, place);
    if (place === "checker") compareByChecker(form, places.files("checker"));
  };
  const lineOf = (file, place) => {
    const { line, choice, remove } = fileLine(file, place, places.words, list.dataset);
    choice.addEventListener("change", () => {
      places.remove(file, place);
      put(file, choice.value);
      show();
      [...list.querySelectorAll("select")].find((select) => select.ariaLabel === choice.ariaLabel)?.focus();
    });
    remove.addEventListener("click", () => {
      places.remove(file, place);
      show();
      unsorted.focus();
    });
    return line;
  };
  const sort = () => {
    for (const file of places.takeUnsorted()) put(file, places.of(file.name));
    show();
  };

  acceptDrops(zone, unsorted);
  zone.addEventListener("change", sort); // not the inputs: these stay when the page comes again
  form.querySelector("[data-places]").addEventListener("change", show);
  sort();
}

// The files of each place, in the inputs of the form. The place of files that have none yet is "".
function placesOf(form, unsortedInput) {
  const inputs = new Map([["", unsortedInput]]);
  const words = new Map();
  for (const place of form.querySelectorAll("[data-place]")) {
    inputs.set(place.dataset.place, place.querySelector("input"));
    words.set(place.dataset.place, place.dataset.sayPlace);
  }
  const rules = JSON.parse(form.querySelector("#place-rules").textContent);
  let unsorted = []; // a new choice in an input takes the place of its files

  const files = (place) => [...inputs.get(place).files];
  const fill = (place, content) => {
    const transfer = new DataTransfer();
    for (const file of content) transfer.items.add(file);
    inputs.get(place).files = transfer.files;
    if (place === "") unsorted = [...transfer.files];
  };
  const remove = (file, place) => {
    const others = files(place).filter(({ name }) => name !== file.name);
    fill(place, others);
  };
  return {
    words,
    files,
    remove,
    of: (name) => rules.find(({ pattern }) => new RegExp(pattern, "u").test(name.toLowerCase()))?.place ?? "",
    all: () => [...inputs.keys()].flatMap((place) => files(place).map((file) => ({ file, place }))),
    add(file, place) {
      remove(file, place);
      fill(place, [...files(place), file]);
    },
    takeUnsorted() {
      const taken = [...unsorted, ...files("")];
      fill("", []);
      return taken;
    },
  };
}

async function compareByChecker(form, files) {
  const sources = files.filter((file) => file.name !== "testlib.h");
  const texts = await Promise.all(sources.map((file) => file.slice(0, MOST_BYTES).text()));
  const kind = texts.some((text) => TESTLIB.test(text)) ? "testlib" : "own";
  const choice = form.querySelector(`input[name="comparison"][value="${kind}"]`);
  choice.checked = true;
  choice.dispatchEvent(new Event("change", { bubbles: true }));
}

// A file's name with the choice of its place and a button that takes it out.
function fileLine(file, place, words, { sayOf, sayNoPlace, sayRemove }) {
  const say = (sentence) => sentence.replace("{name}", file.name);
  const line = document.createElement("p");
  line.appendChild(document.createElement("code")).textContent = file.name;
  const choice = line.appendChild(document.createElement("select"));
  choice.setAttribute("aria-label", say(sayOf));
  if (place === "") choice.add(new Option(sayNoPlace, ""));
  for (const [value, text] of words) choice.add(new Option(text, value));
  choice.value = place;
  const remove = line.appendChild(document.createElement("button"));
  Object.assign(remove, { type: "button", className: "quiet", textContent: "\u00d7", ariaLabel: say(sayRemove) });
  return { line, choice, remove };
}
