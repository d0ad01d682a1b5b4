"""No page scrolls sideways or writes over itself, from a telephone to a desk, and axe finds nothing: the quick part.

`tests/browser/accessibility` looks at every page, as whoever may see it, in both languages.
"""

from playwright.sync_api import Page, expect

from tests.browser.accessibility import looking, tree

OPEN_PAGES = ["/", "/problems/basestations/", "/login/", "/experiments/e1-leftover-print/", "/nowhere/"]


def test_pages_for_everybody_fit_and_axe_finds_nothing(page: Page) -> None:
    wrong = {}
    for address in OPEN_PAGES:
        answer = page.goto(address)
        assert answer
        assert answer.status == (404 if address == "/nowhere/" else 200), address
        looking.prepare(page)
        found = [
            *looking.with_axe(page, widths=(1280,)).wrong,
            *looking.of_layout(page),
            *tree.of_tree(tree.tree(page)),
        ]
        if found:
            wrong[address] = found
    assert wrong == {}


def test_links_are_a_menu_where_there_is_no_room_for_them(instructor_page: Page) -> None:
    links, menu = (
        instructor_page.get_by_role("navigation", name="Main"),
        instructor_page.get_by_text("Menu", exact=True),
    )
    expect(links.get_by_role("link", name="Assignments")).to_be_visible()
    expect(menu).to_be_hidden()
    for width in (768, 390, 320):
        instructor_page.set_viewport_size({"width": width, "height": 800})
        assert instructor_page.locator(".top-row").evaluate("row => row.clientHeight") < 80  # one row
    expect(links).to_be_hidden()
    menu.click()
    links.get_by_role("link", name="Assignments").click()
    expect(instructor_page.get_by_role("heading", name="Assignments", level=1)).to_be_visible()


def test_pages_are_as_wide_as_each_other(instructor_page: Page) -> None:
    widths = {}
    for address in ("/", "/problems/countton/", "/assignments/", "/submissions/"):
        instructor_page.goto(address)
        widths[address] = instructor_page.locator("main").evaluate("main => main.clientWidth")
    assert set(widths.values()) == {1280}, widths
