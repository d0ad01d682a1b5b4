// A new problem's files: dropped or chosen all at once, they are sorted to their inputs by name, by the page's rules
// (`web/forms/typed/file_places.py` sorts by the same ones where no script runs), and shown with their places before they are
// sent. A file of no known place stays in the first input until it gets one. A checker that comes is selected as the
// comparison: why else would it be there?
import { acceptDrops } from "./drop.js";

const TESTLIB = /^[ \t]*#[ \t]*include[ \t]*["<]([^">\n]*\/)?testlib\.h[">]/m;
const MOST_BYTES = 1024 * 1024; // of a source

export function enhancePlaces(root) {
  const zone = root.querySelector("[data-zone]");
  if (!zone) return;
  const form = zone.closest("form");
  const inputs = new Map([["", zone.querySelector("input")]]); // by place
  const words = new Map();
  for (const place of form.querySelectorAll("[data-place]")) {
    inputs.set(place.dataset.place, place.querySelector("input"));
    words.set(place.dataset.place, place.dataset.sayPlace);
  }
  const rules = JSON.parse(form.querySelector("#place-rules").textContent);
  const placeOf = (name) => rules.find(({ pattern }) => new RegExp(pattern).test(name.toLowerCase()))?.place ?? "";
  const list = form.querySelector("[data-sorted]");
  let unsorted = [];

  const show = () => {
    const rows = [...inputs].flatMap(([place, input]) => [...input.files].map((file) => row(file, place)));
    list.replaceChildren(...rows);
    list.hidden = rows.length === 0;
    form.dispatchEvent(new Event("tally:files"));
  };
  const without = (place, name) => [...inputs.get(place).files].filter((file) => file.name !== name);
  const fill = (place, files) => {
    const held = new DataTransfer();
    for (const file of files) held.items.add(file);
    inputs.get(place).files = held.files;
    if (place === "") unsorted = [...held.files];
  };
  const put = (file, place) => {
    fill(place, [...without(place, file.name), file]);
    if (place === "checker") compareByChecker();
  };
  const compareByChecker = async () => {
    const sources = [...inputs.get("checker").files].filter((file) => file.name !== "testlib.h");
    const texts = await Promise.all(sources.map((file) => file.slice(0, MOST_BYTES).text()));
    const kind = texts.some((text) => TESTLIB.test(text)) ? "testlib" : "own";
    const choice = form.querySelector(`input[name="comparison"][value="${kind}"]`);
    choice.checked = true;
    choice.dispatchEvent(new Event("change", { bubbles: true }));
  };
  const sort = () => {
    const added = [...unsorted, ...inputs.get("").files];
    fill("", []);
    for (const file of added) put(file, placeOf(file.name));
    show();
  };

  function row(file, place) {
    const say = (sentence) => sentence.replace("{name}", file.name);
    const line = document.createElement("p");
    const name = line.appendChild(document.createElement("code"));
    name.textContent = file.name;
    const choice = line.appendChild(document.createElement("select"));
    choice.setAttribute("aria-label", say(list.dataset.sayOf));
    if (place === "") choice.add(new Option(list.dataset.sayNoPlace, ""));
    for (const [value, text] of words) choice.add(new Option(text, value));
    choice.value = place;
    choice.addEventListener("change", () => {
      fill(place, without(place, file.name));
      put(file, choice.value);
      show();
      [...list.querySelectorAll("select")].find((each) => each.ariaLabel === choice.ariaLabel)?.focus();
    });
    const remove = line.appendChild(document.createElement("button"));
    Object.assign(remove, { type: "button", className: "quiet", textContent: "\u00d7", ariaLabel: say(list.dataset.sayRemove) });
    remove.addEventListener("click", () => {
      fill(place, without(place, file.name));
      show();
      inputs.get("").focus();
    });
    return line;
  }

  acceptDrops(zone, inputs.get(""));
  zone.addEventListener("change", sort); // not the inputs: these stay when the page comes again
  form.querySelector("[data-places]").addEventListener("change", show);
  sort();
}
