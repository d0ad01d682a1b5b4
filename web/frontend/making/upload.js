// The upload page: a place to drop packages, how much of them has been sent, and a sentence when sending fails.
import { acceptDrops } from "./drop.js";

export function enhanceUpload(root) {
  const form = root.matches?.("form[data-upload]") ? root : root.querySelector("form[data-upload]");
  if (!form) return;
  const box = form.querySelector("[data-progress]");
  const bar = box.querySelector("progress");
  // One of the page's sentences in data-say-*.
  const say = (text) => {
    box.querySelector("p").textContent = text;
  };
  const maxBytes = Number(box.dataset.maxBytes);
  const input = form.elements.archive;

  input.addEventListener("change", () => {
    const isTooLarge = Array.from(input.files).reduce((sum, file) => sum + file.size, 0) > maxBytes;
    input.setCustomValidity(isTooLarge ? box.dataset.sayLarge : "");
    input.reportValidity();
  });
  acceptDrops(form.querySelector("[data-drop]"), input);
  form.addEventListener("htmx:beforeRequest", () => {
    box.hidden = false;
    bar.value = 0;
    say(box.dataset.saySending);
  });
  form.addEventListener("htmx:xhr:progress", (event) => {
    if (!event.detail.lengthComputable || event.detail.total === 0) return;
    bar.value = (100 * event.detail.loaded) / event.detail.total;
    if (event.detail.loaded === event.detail.total) {
      bar.removeAttribute("value");
      say(box.dataset.sayTaking);
    }
  });
  for (const failure of ["htmx:sendError", "htmx:responseError", "htmx:timeout"]) {
    form.addEventListener(failure, (event) => {
      bar.value = 0;
      const { status } = event.detail.xhr;
      say(status === 413 ? box.dataset.sayRefused : box.dataset.sayFailed);
    });
  }
}
