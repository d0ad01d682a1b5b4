"""Look at a page as somebody with a disability meets it: axe, the layout, the focus, what a screen reader is told.

How it works: `prepare` loads axe and `looking.js` into the page. Every function returns what is wrong, as lines that
name the place; an empty list is good.
"""

import tomllib
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from playwright.sync_api import Page

from bench.load.stack import ROOT

HERE = Path(__file__).parent
TAGS = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"]
OF_COLOURS = [
    "color-contrast",
    "link-in-text-block",
]  # all that can differ between two schemes: dark.css has colours only
# One letter and signs are measured too, which axe else leaves to a person.
CHECKS = {"color-contrast": {"options": {"ignoreLength": True, "ignoreUnicode": False}}}
WIDTHS = (1280, 390)
SCHEMES = ("light", "dark")
# One listing of each page is enough: its hundreds of words have the colours of tests/web/frontend/test_contrast.py.
LOOKED_AT = {"exclude": [".variant:nth-child(n+2) .source"]}
_AXE = (ROOT / "node_modules/axe-core/axe.min.js").read_text()
_LOOKING = (HERE / "looking.js").read_text()
# WCAG 1.4.12: what a reader may set without losing anything
SPACING = "* { line-height: 1.5 !important; letter-spacing: 0.12em !important; word-spacing: 0.16em !important; }"
SPACING += "p { margin-bottom: 2em !important; }"


_SHEET = """(rules) => {
  const sheet = new CSSStyleSheet();  // the page's policy allows no style of anybody else's
  sheet.replaceSync(rules);
  document.adoptedStyleSheets = [sheet];
}"""


@dataclass(frozen=True, kw_only=True, slots=True)
class Reviewed:
    """A line of reviewed.toml: what axe cannot tell, what a person saw, and why it is right."""

    number: int
    rule: str
    where: str
    judgement: str
    told: str = ""  # words of axe's message, where the line is about one of its reasons


def reviewed() -> list[Reviewed]:
    """Return the list of what was looked at."""
    lines = tomllib.loads((HERE / "reviewed.toml").read_text())["reviewed"]
    return [Reviewed(number=number, **line) for number, line in enumerate(lines, 1)]


@dataclass(kw_only=True, slots=True)
class Seen:
    """What was found on a page: lines that are wrong, and the numbers of the reviewed lines that were needed."""

    wrong: list[str] = field(default_factory=list)
    used: set[int] = field(default_factory=set)


def prepare(page: Page) -> None:
    """Load axe and our own questions into a page that was just loaded."""
    page.evaluate(_AXE)
    page.evaluate(_LOOKING)


def with_axe(page: Page, widths: tuple[int, ...] = WIDTHS, schemes: tuple[str, ...] = SCHEMES) -> Seen:
    """Ask axe at each width and in each scheme."""
    seen = Seen()
    known = [[line.rule, line.where, line.told, line.number] for line in reviewed()]
    for width in widths:
        page.set_viewport_size({"width": width, "height": 900})
        for scheme in schemes:
            page.emulate_media(color_scheme=scheme)  # type: ignore[arg-type]
            rules: dict[str, Any] = {"type": "tag", "values": TAGS}
            if scheme != schemes[0]:
                rules = {"type": "rule", "values": OF_COLOURS}
            options = {"runOnly": rules, "resultTypes": ["violations", "incomplete"], "checks": CHECKS}
            found = page.evaluate("([where, options]) => axe.run(where, options)", [LOOKED_AT, options])
            place = f"{width} px, {scheme}"
            for violation in found["violations"]:
                seen.wrong += [f"{place}: {violation['id']}: {node['target']}" for node in violation["nodes"]]
            told = page.evaluate("([found, known]) => looking.notReviewed(found, known)", [found["incomplete"], known])
            seen.wrong += [f"{place}: look at {rule}: {where}: {why}" for rule, where, why in told["left"]]
            seen.used |= set(told["used"])
    page.emulate_media(color_scheme="light")
    page.set_viewport_size({"width": 1280, "height": 900})
    return seen


def of_layout(page: Page) -> Iterator[str]:
    """Reflow (1.4.10), 200 % zoom (1.4.4), text spacing (1.4.12), words over words."""
    for width in (320, 390, 640, 768, 1280):  # 640: a desk's 1280 at 200 %; 320: at 400 %
        page.set_viewport_size({"width": width, "height": 800})
        for found in page.evaluate("looking.tooWide()"):
            yield f"{width} px: too wide: {found}"
        for words in page.evaluate("looking.overlapping()"):
            yield f"{width} px: over each other: {words}"
    page.evaluate(_SHEET, SPACING)
    for width in (320, 1280):
        page.set_viewport_size({"width": width, "height": 800})
        for found in page.evaluate("looking.tooWide()"):
            yield f"{width} px, spaced: too wide: {found}"
        for found in page.evaluate("looking.cutOff()"):
            yield f"{width} px, spaced: cut off: {found}"
    page.evaluate(_SHEET, "")
    page.set_viewport_size({"width": 1280, "height": 900})


def of_content(page: Page) -> Iterator[str]:
    """Every drawing has its numbers as words (1.1.1), and every stop of the keyboard a role (4.1.2)."""
    for found in page.evaluate("looking.withoutRole()"):
        yield f"a stop without a role: {found}"
    for found in page.evaluate("looking.withoutWords()"):
        yield f"a drawing without words: {found}"


def of_focus(page: Page, width: int, most: int = 700) -> Iterator[str]:
    """Tab through the page: each stop is seen, not covered, and marked (2.4.7, 2.4.11), and the way ends (2.1.2)."""
    page.set_viewport_size({"width": width, "height": 800})
    page.evaluate("looking.toTheStart()")
    first = None
    for _ in range(most):
        page.keyboard.press("Tab")
        stop = page.evaluate("looking.focused()")
        if stop is None or stop["place"] == first:
            return
        first = stop["place"] if first is None else first
        if not stop["isSeen"]:
            yield f"{width} px: the focus is not seen: {stop['name']} {stop['words']!r}"
        if not stop["hasMark"]:
            yield f"{width} px: the focus is not marked: {stop['name']} {stop['words']!r}"
    yield f"{width} px: no end after {most} presses of Tab, at {stop['name']}"
