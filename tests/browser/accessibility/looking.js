// What the accessibility tests ask a page, beside axe: one object of functions, in the page's own world.
window.looking = (() => {
  // A part that follows its work would be replaced while axe looks at it.
  addEventListener("tally:refresh", (event) => event.stopImmediatePropagation(), true);

  const isShown = (element) => element.checkVisibility({ visibilityProperty: true, contentVisibilityAuto: true });
  const nameOf = (element) => {
    const part = element.closest("[id]");
    const own = element.tagName.toLowerCase() + [...element.classList].map((name) => `.${name}`).join("");
    return part && part !== element ? `#${part.id} ${own}` : element.id ? `#${element.id}` : own;
  };

  // Everything that is folded, open; what opening would ask the server for, left away.
  const unfold = () => {
    for (const form of document.querySelectorAll("[data-ask-when-opened]")) form.removeAttribute("data-ask-when-opened");
    for (const details of document.querySelectorAll("main details")) details.open = true;
  };

  const sendForm = () => {
    const form = document.querySelector("form.submit-form, form.typed, main form.panel[method=post]");
    for (const field of form.querySelectorAll("input:not([type=hidden], [type=radio], [type=checkbox]), textarea")) field.value = "";
    form.noValidate = true;
    form.requestSubmit();
  };

  // axe's findings that need a look, without those that a line of the list says were looked at: [rule, selector, words of axe, number].
  const notReviewed = (incomplete, reviewed) => {
    const used = new Set();
    const left = [];
    for (const { id, nodes } of incomplete) {
      for (const { target, any, all, none } of nodes) {
        const element = document.querySelector(target.at(-1));
        const why = [...any, ...all, ...none][0]?.message ?? "";
        const line = reviewed.find(([rule, selector, told]) => rule === id && why.includes(told) && element?.matches(selector));
        if (line) used.add(line[3]);
        else left.push([id, target.join(" "), why]);
      }
    }
    return { left, used: [...used] };
  };

  // What is wider than the page, without being in a part that scrolls by itself.
  const tooWide = () => {
    const page = document.documentElement;
    if (page.scrollWidth <= page.clientWidth) return [];
    const scrolls = (element) => element && (getComputedStyle(element).overflowX !== "visible" || scrolls(element.parentElement));
    const wide = [...document.querySelectorAll("body *")].filter(
      (element) => isShown(element) && element.getBoundingClientRect().right > page.clientWidth + 1 && !scrolls(element.parentElement),
    );
    return [`${page.scrollWidth} px of ${page.clientWidth}`, ...wide.slice(0, 3).map(nameOf)];
  };

  // Words that a box cuts off: it neither scrolls nor says so with three dots.
  const cutOff = () =>
    [...document.querySelectorAll("body *")]
      .filter((element) => {
        const style = getComputedStyle(element);
        const cuts = (overflow, inner, outer) => overflow === "hidden" && inner > outer + 2;
        const isHidden = style.clipPath !== "none" || element.closest(".visually-hidden, .skip, svg, .cm-editor");
        return (
          !isHidden && isShown(element) && style.textOverflow !== "ellipsis" && element.textContent.trim() &&
          (cuts(style.overflowX, element.scrollWidth, element.clientWidth) || cuts(style.overflowY, element.scrollHeight, element.clientHeight))
        );
      })
      .map(nameOf);

  // Words of one drawing that lie on each other.
  const overlapping = () =>
    [...document.querySelectorAll("svg")].flatMap((drawing) => {
      const words = [...drawing.querySelectorAll("text")].map((text) => [text.textContent, text.getBoundingClientRect()]);
      const seen = words.filter(([, box]) => box.width > 0);
      return seen.flatMap(([text, a], at) =>
        seen
          .slice(at + 1)
          .filter(([, b]) => a.left < b.right && b.left < a.right && a.top < b.bottom - 2 && b.top < a.bottom - 2)
          .map(([other]) => `${text} | ${other}`),
      );
    });

  // Drawings with numbers that have neither a name with the numbers nor the numbers beside them as words.
  const withoutWords = () =>
    [...document.querySelectorAll("main svg")]
      .filter((drawing) => isShown(drawing) && !drawing.parentElement.closest("svg") && drawing.querySelector("rect, path, circle"))
      .filter((drawing) => {
        if (drawing.getAttribute("role") === "img") return !/\d/.test(drawing.getAttribute("aria-label") ?? "") && !drawing.closest("details")?.querySelector("dl");
        const named = drawing.closest("[role=img]");
        if (named) return !/\d/.test(named.getAttribute("aria-label") ?? "");
        if (drawing.closest(".legend, .reason-names, dt, .working, .brand")) return false; // a mark beside its words
        const beside = drawing.closest("tr, li, .picture-line, .pair-line, .group-row, .line-cost, .pairs div, figure, .case-timeline");
        return !beside || !/\d/.test(beside.textContent);
      })
      .map(nameOf);

  // Stops of the keyboard that are no control and say no role.
  const withoutRole = () =>
    [...document.querySelectorAll("[tabindex='0']")].filter((stop) => stop.matches("div, span, p, pre") && !stop.hasAttribute("role")).map(nameOf);

  // What has the focus: whether it is seen, not covered, and marked; null at the page's start.
  const focused = async () => {
    const element = document.activeElement;
    if (!element || element === document.body) return null;
    if (element.closest(".cm-editor")) await new Promise((done) => setTimeout(done, 60)); // it marks itself a moment later
    const box = element.getBoundingClientRect();
    const marks = (one) => one && getComputedStyle(one).outlineStyle !== "none" && parseFloat(getComputedStyle(one).outlineWidth) >= 2;
    const hasMark = marks(element) || marks(element.closest(".cm-editor"));
    const [left, right] = [Math.max(0, box.left), Math.min(innerWidth, box.right)];
    const [top, bottom] = [Math.max(0, box.top), Math.min(innerHeight, box.bottom)];
    const points = [0.02, 0.5, 0.98].flatMap((x) => [0.1, 0.5, 0.9].map((y) => [left + x * (right - left), top + y * (bottom - top)]));
    const isOwn = (hit) => hit && (element.contains(hit) || hit.contains(element) || [...(element.labels ?? [])].some((label) => label.contains(hit)));
    const isSeen = right > left && bottom > top && points.some(([x, y]) => isOwn(document.elementFromPoint(x, y)));
    const place = [...document.querySelectorAll("*")].indexOf(element);
    return { place, name: nameOf(element), words: (element.ariaLabel ?? element.textContent).trim().slice(0, 40), hasMark, isSeen };
  };

  const toTheStart = () => {
    document.body.tabIndex = -1;
    document.body.focus();
    document.body.removeAttribute("tabindex");
    scrollTo(0, 0);
  };

  return { toTheStart, withoutRole, unfold, sendForm, notReviewed, tooWide, cutOff, overlapping, withoutWords, focused };
})();
