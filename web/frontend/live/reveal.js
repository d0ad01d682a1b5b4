// A link to something folded opens what it is folded in. Browsers do so by themselves for an address that they load, not
// all of them for a link on the page; a test case opens when its own row is linked.

export function revealTargets() {
  addEventListener("hashchange", reveal);
  document.addEventListener("click", (event) => {
    if (event.target.closest("a[href^='#']")) setTimeout(reveal); // also when the address is already this one
  });
  reveal();
}

function reveal() {
  const target = document.getElementById(decodeURIComponent(location.hash.slice(1)));
  if (!target) return;
  const own = target.matches("li") ? target.querySelector(":scope > details") : null;
  let isChanged = false;
  for (let details = own ?? target.closest("details"); details; details = details.parentElement.closest("details")) {
    isChanged ||= !details.open; // else the browser has opened it, or the reader
    details.open = true;
    details.dispatchEvent(new CustomEvent("tally:revealed", { bubbles: true })); // live.js keeps it open over a swap
  }
  if (isChanged) target.scrollIntoView();
}
