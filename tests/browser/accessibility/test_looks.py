"""What no rule of axe sees: the reader's own colours, the faces of Korean text, and that our own questions can fail."""

from collections.abc import Callable

import pytest
from playwright.sync_api import Page

from tests.browser.accessibility import looking, tree
from tests.browser.accessibility.conftest import Visit
from tests.browser.accessibility.pages import PAGES
from tests.browser.conftest import PageMaker

SLOW = next(page for page in PAGES if "all reruns" in page.title)
COMPARISON = next(page for page in PAGES if page.title == "Comparison")
OF_THE_STACK = {
    "NanumGothic",
    "NanumGothicCoding",
    "DejaVu Sans Mono",
}  # of web/frontend/css/site/tokens.css, from setup/packages
BARRIERS = """
  <h6>Too deep</h6>
  <button></button>
  <div tabindex="0">wide, and without a role</div>
  <input id="unnamed">
  <svg width="20" height="20"><rect width="20" height="20"/></svg>
  <a href="/" class="unmarked">unmarked</a>
"""


@pytest.mark.thorough
@pytest.mark.parametrize("page", [SLOW, COMPARISON], ids=lambda page: page.title)
def test_own_colours_of_the_reader_leave_text_readable_and_drawings_there(page: object, visit: Visit) -> None:
    browser = visit(page, "en")  # type: ignore[arg-type]
    for scheme in looking.SCHEMES:
        browser.emulate_media(forced_colors="active", color_scheme=scheme)  # type: ignore[arg-type]
        rules = {"runOnly": {"type": "rule", "values": ["color-contrast"]}, "resultTypes": ["violations"]}
        found = browser.evaluate("([where, options]) => axe.run(where, options)", [looking.LOOKED_AT, rules])
        assert [node["target"] for violation in found["violations"] for node in violation["nodes"]] == []
        fills = browser.evaluate("""[...document.querySelectorAll('main svg rect.user, main svg rect.series-a')]
          .map((bar) => [getComputedStyle(bar).fill, getComputedStyle(document.documentElement).backgroundColor])""")
        assert fills
        assert all(fill != behind for fill, behind in fills)


@pytest.mark.thorough
@pytest.mark.parametrize("scheme", looking.SCHEMES)
def test_korean_text_has_a_face_of_the_stack_and_fetches_none(scheme: str, open_page: PageMaker) -> None:
    page = open_page(locale="ko", color_scheme=scheme)
    fetched: list[str] = []
    page.on("request", lambda request: fetched.append(request.url) if request.resource_type == "font" else None)
    page.goto("/help/")
    session = page.context.new_cdp_session(page)
    session.send("DOM.enable")
    session.send("CSS.enable")
    root = session.send("DOM.getDocument")["root"]["nodeId"]
    faces: set[str] = set()
    for selector in ("h1", "main h2", "main p", "main dd", "main code", ".bottom p", "button[lang=ko]"):
        node = session.send("DOM.querySelector", {"nodeId": root, "selector": selector})["nodeId"]
        fonts = session.send("CSS.getPlatformFontsForNode", {"nodeId": node})["fonts"]
        faces |= {font["familyName"] for font in fonts}
    assert "NanumGothic" in faces
    assert faces <= OF_THE_STACK
    assert fetched == []


def test_our_own_questions_find_barriers(page: Page) -> None:
    """Each on a page into which a barrier of its kind was built."""
    page.goto("/help/")
    page.evaluate("html => document.querySelector('main').insertAdjacentHTML('beforeend', html)", BARRIERS)
    page.evaluate("document.querySelector('.unmarked').style.outline = 'none'")
    page.evaluate("document.querySelector('main > [tabindex]').style.width = '90rem'")
    looking.prepare(page)
    for find, kinds in _QUESTIONS.items():
        found = "\n".join(find(page))
        assert [kind for kind in kinds if kind not in found] == [], found


_QUESTIONS: dict[Callable[[Page], list[str]], list[str]] = {
    lambda page: list(looking.of_content(page)): [
        "a drawing without words: #content svg",
        "without a role: #content div",
    ],
    lambda page: list(tree.of_tree(tree.tree(page))): ["level 6", "without a name: button"],
    lambda page: list(looking.of_layout(page)): ["too wide"],
    lambda page: list(looking.of_focus(page, 1280)): ["the focus is not marked: #content a.unmarked"],
    lambda page: looking.with_axe(page, widths=(1280,), schemes=("light",)).wrong: ["button-name", "label"],
}
