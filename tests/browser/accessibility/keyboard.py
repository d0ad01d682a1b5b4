"""A person who has a keyboard only: Tab to a control, then Enter, Space, an arrow or letters. Never a click."""

import re

from playwright.sync_api import Locator, Page, expect

MOST_STOPS = 400
# Each text that a live region is given, as screen readers hear it. A region that comes with its text is not heard.
_HEARD = """
  window.heard = [];
  addEventListener("DOMContentLoaded", () => new MutationObserver((changes) => {
    const regions = new Set();
    for (const { target } of changes) {
      const element = target.nodeType === Node.TEXT_NODE ? target.parentElement : target;
      const region = element?.closest("[role=status], [role=alert], [aria-live]");
      if (region && region.checkVisibility()) regions.add(region);
    }
    for (const region of regions) {
      const text = region.textContent.trim();
      if (text) window.heard.push(text);
    }
  }).observe(document.body, { subtree: true, childList: true, characterData: true }));
"""


class Keyboard:
    """The keyboard of a page. Raises AssertionError where the keyboard does not lead."""

    def __init__(self, page: Page) -> None:
        self.page = page
        self._press = page.keyboard.press
        page.add_init_script(_HEARD)
        page.on("filechooser", lambda _chooser: None)  # else Chromium may hear too late that somebody waits for one

    def reach(self, target: Locator, *, backwards: bool = False) -> None:
        """Press Tab until the target has the focus."""
        expect(target).to_be_visible()
        for _ in range(MOST_STOPS):
            if self.has_focus(target):
                return
            self._press("Shift+Tab" if backwards else "Tab")
        raise AssertionError(f"Tab does not lead to {target}: it stands at {self.where()}")

    def has_focus(self, target: Locator) -> bool:
        """Return whether the target has the focus."""
        return bool(target.evaluate("element => element === document.activeElement"))

    def where(self) -> str:
        """Return what has the focus, for messages."""
        return str(self.page.evaluate("document.activeElement.outerHTML.slice(0, 120)"))

    def press(self, target: Locator, key: str = "Enter") -> None:
        """Reach a link or a button and press it."""
        self.reach(target)
        self._press(key)

    def link(self, name: str | re.Pattern[str]) -> None:
        """Follow the link of this name."""
        self.press(self.page.get_by_role("link", name=name).first)

    def button(self, name: str | re.Pattern[str], key: str = "Enter") -> None:
        """Press the button of this name in the page's main part."""
        self.press(self.page.locator("main").get_by_role("button", name=name).first, key)

    def type(self, target: Locator, text: str) -> None:
        """Reach a field and write into it."""
        self.reach(target)
        self.page.keyboard.insert_text(text)

    def choose(self, target: Locator, word: str) -> None:
        """Reach a list and choose by the first letters."""
        self.reach(target)
        self.page.keyboard.type(word)
        assert word in str(target.evaluate("list => list.selectedOptions[0].textContent")), self.where()

    def files(self, target: Locator, path: str) -> None:
        """Reach an input of files and open the browser's own window with Enter, which has a keyboard of its own."""
        self.reach(target)
        with self.page.expect_file_chooser() as chooser:
            self._press("Enter")
        chooser.value.set_files(path)

    def heard(self) -> list[str]:
        """Return what the live regions of this page have said so far."""
        return list(self.page.evaluate("window.heard"))

    def write(self, source: str) -> None:
        """Choose Python and write a program into the editor; leave it with Escape, as the hint below it says."""
        self.choose(self.page.get_by_label("Language", exact=True), "Python")
        self.reach(self.page.get_by_role("textbox", name="Source code"))
        self._press("Control+a")
        self._press("Delete")
        self.page.keyboard.insert_text(source)
        self._press("Escape")

    def send(self, slug: str, source: str, meaning: str) -> None:
        """Submit a Python program and wait for its verdict."""
        self.page.goto(f"/problems/{slug}/")
        self.write(source)
        self.button(re.compile("^Submit"))
        expect(self.page).to_have_url(re.compile(r"/submissions/\d+/$"))
        expect(self.page.get_by_role("heading", level=1)).to_contain_text(meaning)
