"""A person who has a keyboard only: Tab to a control, then Enter, Space, an arrow or letters. Never a click."""

import re

from playwright.sync_api import Locator, Page, expect

MOST_STOPS = 400


class Keyboard:
    """The keyboard of a page. Raises AssertionError where the keyboard does not lead."""

    def __init__(self, page: Page) -> None:
        self.page = page
        self._press = page.keyboard.press
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
