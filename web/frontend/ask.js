// A test case that is opened has its system calls counted by name if they are not yet: the button for it presses itself,
// once for each case while the page is open. Where the answer is no, the case says why and the button stays.
import htmx from "htmx.org";

const asked = new Set();

export function askWhenOpened() {
  document.addEventListener("toggle", ask, true); // it does not bubble
}

function ask({ target }) {
  const form = target.open && target.matches("details.case") && target.querySelector("form[data-ask-when-opened]");
  if (!form || asked.has(form.action)) return;
  asked.add(form.action);
  target.dispatchEvent(new CustomEvent("tally:revealed", { bubbles: true })); // live.js keeps it open over the swap
  htmx.ajax("POST", form.action, { source: form, target: "#live", swap: "outerHTML" });
}
