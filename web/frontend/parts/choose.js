// Choosing submissions to compare: how many may be chosen, and what is still missing. Without it the page says so.

export function enhanceChoice(form) {
  const boxes = [...form.querySelectorAll('input[type="checkbox"][name="s"]')];
  const button = form.querySelector('button[type="submit"]');
  const hint = form.querySelector("[data-choose-hint]");
  const least = Number(form.dataset.least);
  const most = Number(form.dataset.most);

  const show = () => {
    const chosen = boxes.filter((box) => box.checked);
    button.disabled = chosen.length < least;
    for (const box of boxes) box.disabled = !box.checked && chosen.length >= most;
    if (!hint) return;
    if (chosen.length === 0) hint.textContent = hint.dataset.chooseHint;
    else if (chosen.length < least) hint.textContent = hint.dataset.sayMore;
    else hint.textContent = hint.getAttribute(`data-say-${chosen.length}`);
  };

  form.addEventListener("change", show);
  show();
}
