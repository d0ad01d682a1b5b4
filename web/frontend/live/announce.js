// Says to screen readers what no visible part of the page says by itself: a verdict has come, a text was copied, a part
// of the page is a new one. The only such region of a page: two would speak at the same time. A part with data-announced-by="ID" is announced by the words of that element when a swap brings it.

let status = null;

// Once per page, before there is anything to say: only a change of what is there is spoken.
export function prepareAnnouncements() {
  status = document.body.appendChild(document.createElement("p"));
  status.id = "announced";
  status.className = "visually-hidden";
  status.setAttribute("role", "status");
}

export function announce(sentence) {
  status.textContent = sentence;
}

export function announcePart(element) {
  const name = element.dataset?.announcedBy;
  if (name) announce(document.getElementById(name).textContent);
}
