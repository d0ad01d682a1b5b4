// Choosing two submissions to compare: a third choice lets go of the first, and the button waits for the second.

for (const form of document.querySelectorAll("form.choose")) {
  const boxes = [...form.querySelectorAll('input[name="s"]')];
  const button = form.querySelector('button[type="submit"]');
  const hint = form.querySelector("[data-choose-hint]");
  let chosen = boxes.filter((box) => box.checked);

  const show = () => {
    button.disabled = chosen.length !== 2;
    hint.textContent = [
      "Choose two with the boxes on the left.",
      "Choose one more.",
      `${chosen.map((box) => box.value).join(" and ")} are chosen.`,
    ][chosen.length];
  };

  form.addEventListener("change", (event) => {
    const box = event.target;
    chosen = chosen.filter((other) => other !== box);
    if (box.checked) chosen.push(box);
    while (chosen.length > 2) chosen.shift().checked = false;
    show();
  });
  while (chosen.length > 2) chosen.shift().checked = false;
  show();
}
