// A problem that is typed: rows for samples without asking the server, fields of the chosen checker only, how much of
// it has been sent, and a sentence when sending it fails.

export function enhanceTyped(root) {
  const form = root.matches?.("form[data-typed]") ? root : root.querySelector("form[data-typed]");
  if (!form) return;
  enhanceRows(form);
  enhanceComparison(form);
  enhanceSending(form);
  enhanceSteps(form);
}

function enhanceRows(form) {
  const rows = form.querySelector("[data-rows]");
  const count = form.querySelector("[data-count]");
  const renumber = () => {
    [...rows.children].forEach((row, place) => {
      row.querySelector("[data-number]").textContent = place + 1;
      row.querySelector("[data-less]").value = place;
    });
    count.value = rows.children.length;
    form.elements.statement.dispatchEvent(new Event("tally:preview"));
  };
  const blank = rows.firstElementChild?.cloneNode(true);
  if (!blank) return; // then the server adds the first one
  for (const control of blank.querySelectorAll("input, textarea")) {
    control.defaultValue = "";
    control.value = "";
  }
  form.querySelector("[data-more]").addEventListener("click", (event) => {
    event.preventDefault();
    rows.append(blank.cloneNode(true));
    renumber();
    rows.lastElementChild.querySelector("textarea").focus();
  });
  rows.addEventListener("click", (event) => {
    const button = event.target.closest("[data-less]");
    if (!button) return;
    event.preventDefault();
    button.closest("[data-row]").remove();
    renumber();
    form.querySelector("[data-more]").focus();
  });
}

function enhanceComparison(form) {
  const show = () => {
    const chosen = form.elements.comparison.value;
    for (const part of form.querySelectorAll("[data-for]")) {
      part.hidden = !part.dataset.for.split(" ").includes(chosen) && !part.querySelector(".errorlist");
    }
  };
  form.querySelector("[data-comparison]").addEventListener("change", show);
  show();
}

function enhanceSending(form) {
  const box = form.querySelector("[data-progress]");
  const bar = box.querySelector("progress");
  // One of the page's sentences in data-say-*.
  const say = (text) => {
    box.querySelector("p").textContent = text;
  };
  const maxBytes = Number(form.dataset.maxBytes);
  const isOwn = (event) => event.detail.elt === form;

  form.addEventListener("htmx:beforeRequest", (event) => {
    if (!isOwn(event)) return;
    box.hidden = false;
    const files = [...form.querySelectorAll("input[type=file]")].flatMap((input) => [...input.files]);
    if (files.reduce((sum, file) => sum + file.size, 0) > maxBytes) {
      event.preventDefault();
      say(box.dataset.sayLarge);
      return;
    }
    bar.value = 0;
    say(box.dataset.saySending);
  });
  form.addEventListener("htmx:xhr:progress", (event) => {
    if (!isOwn(event) || !event.detail.lengthComputable || event.detail.total === 0) return;
    bar.value = (100 * event.detail.loaded) / event.detail.total;
    if (event.detail.loaded === event.detail.total) {
      bar.removeAttribute("value");
      say(box.dataset.sayTaking);
    }
  });
  for (const failure of ["htmx:sendError", "htmx:responseError", "htmx:timeout"]) {
    form.addEventListener(failure, (event) => {
      if (!isOwn(event)) return;
      bar.value = 0;
      const { status } = event.detail.xhr;
      if (status === 413) say(box.dataset.sayRefused);
      else if (status === 400) say(box.dataset.sayMany);
      else say(box.dataset.sayFailed);
    });
  }
}

// A step is marked in the line of steps once it holds something; a link of that line opens its step, and Next closes its own.
function enhanceSteps(form) {
  const typed = "textarea, input[type=text]:not([name=language], [name=tolerance]), input[type=number]";
  const isFilled = (control) =>
    control.type === "file" ? control.files.length > 0 : control.matches(typed) && control.value !== "";
  const mark = () => {
    for (const step of form.querySelectorAll("[data-step]")) {
      const place = form.querySelector(`[data-step-of=${step.dataset.step}]`);
      const hasText = [...step.querySelectorAll("input, textarea")].some(isFilled);
      place.classList.toggle("filled", hasText);
      place.querySelector("[data-filled]").hidden = !hasText;
    }
  };
  for (const event of ["input", "change", "tally:files"]) form.addEventListener(event, mark);
  form.addEventListener("click", (event) => {
    const link = event.target.closest("a[href^='#in-']");
    const step = link && form.querySelector(link.getAttribute("href")).closest("details");
    if (!step) return;
    step.open = true;
    if (link.matches(".step-next a")) link.closest("details").open = false;
  });
  mark();
}
