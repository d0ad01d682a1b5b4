// A test case that is opened has its system calls counted by name if they are not yet: the button for it presses itself,
// once for each case while the page is open. Where the answer is no, the case says why and the button stays.
import htmx from "htmx.org";

const MOST_TRIES = 3;
const asked = new Set();

export function askWhenOpened() {
  document.addEventListener("toggle", opened, true); // it does not bubble
}

function opened({ target }) {
  const form = target.open && target.matches("details.case") && formOf(target);
  if (!form || asked.has(form.action)) return;
  asked.add(form.action);
  target.dispatchEvent(new CustomEvent("tally:revealed", { bubbles: true })); // live.js keeps it open over the swap
  ask(form, target.id, MOST_TRIES);
}

async function ask(form, id, tries) {
  await htmx.ajax(form.method, form.action, { source: form, target: "#live", swap: "outerHTML" });
  // If news replaced #live meanwhile, the answer went nowhere. Asking once more changes nothing but the page.
  const left = formOf(document.getElementById(id));
  if (left && tries > 1) ask(left, id, tries - 1);
}

const formOf = (details) => details?.querySelector("form[data-ask-when-opened]");
