// A button with data-copy="ID" copies the text of that element or field. Without JavaScript or a clipboard it stays hidden.
import { announce } from "../live/announce.js";

const SHOWN_FOR_MS = 1600;

export function enhanceCopyButtons(root) {
  if (!navigator.clipboard) return;
  for (const button of root.querySelectorAll("button[data-copy]")) {
    button.hidden = false;
    button.onclick = () => copy(button);
  }
}

async function copy(button) {
  button.dataset.label ??= button.textContent;
  const { label } = button.dataset;
  try {
    const copied = document.getElementById(button.dataset.copy);
    await navigator.clipboard.writeText(copied.tagName === "INPUT" ? copied.value : copied.textContent);
    button.textContent = button.dataset.sayCopied;
  } catch {
    button.textContent = button.dataset.sayRefused;
  }
  announce(button.textContent);
  setTimeout(() => {
    button.textContent = label;
    announce("");
  }, SHOWN_FOR_MS);
}
