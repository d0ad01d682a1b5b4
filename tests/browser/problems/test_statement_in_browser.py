"""Statements in a real browser: pictures are seen, languages change, and a hostile one does nothing at all."""

import subprocess
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page, expect

from bench.load.stack import ROOT, Stack
from tests.browser.conftest import PageMaker
from tests.problems.statement.hostile_markup import PIECES

SVG = (
    '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 40 30" width="40" height="30"><style>.a{fill:#1a6}</style>'
    '<circle class="a" cx="20" cy="15" r="9"/><script>document.documentElement.setAttribute("ran", "1")</script></svg>'
)
CASES = {f"data/{name}": text for name, text in (("sample/1.in", "1 2"), ("sample/1.ans", "3"))}
CASES |= {name.replace("sample/1", at): text for name, text in CASES.items() for at in ("sample/2", "secret/1")}
SHOWN = {
    "problem.yaml": "problem_format_version: 2025-09\nname: {en: A Plan, sv: En plan}\nlimits: {time_limit: 1}\n",
    "statement/problem.en.tex": "\\illustration{0.3}{plan}{The plan}\nEnglish.\n\n\\nextsample\nAfter it.\n",
    "statement/problem.sv.md": "Svenska.\n\n![Planen](plan.svg)\n",
    "statement/plan.svg": SVG,
    "attachments/try.py": "print(1)\n",
    **CASES,
}


@pytest.fixture(scope="module")
def shown(site: Stack, tmp_path_factory: pytest.TempPathFactory) -> str:
    """The address of a problem with a picture and two languages."""
    return publish(site, tmp_path_factory.mktemp("library"), "plan", SHOWN)


def publish(site: Stack, library: Path, name: str, files: dict[str, str]) -> str:
    """Publish a package into the running site; its address."""
    for file, text in files.items():
        path = library / name / file
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    command = [sys.executable, "manage.py", "load_library", str(library)]
    subprocess.run(command, cwd=ROOT, env=site.environment, check=True, capture_output=True, timeout=60)
    return f"/problems/{name}/"


def test_picture_is_seen_and_the_language_changes(open_page: PageMaker, shown: str) -> None:
    page = open_page(locale="sv-SE")
    page.goto(shown)
    expect(page.get_by_role("heading", level=1)).to_have_text("En plan")
    expect(page.locator("article.statement")).to_have_attribute("lang", "sv")
    picture = page.get_by_role("img", name="Planen")
    assert picture.evaluate("picture => picture.decode().then(() => picture.naturalWidth)") == 40
    page.get_by_role("link", name="English").click()
    expect(page.get_by_role("heading", level=1)).to_have_text("A Plan")
    expect(page.get_by_text("The plan", exact=True)).to_be_visible()
    first, after, rest = page.get_by_text("Input 1"), page.get_by_text("After it."), page.get_by_text("Input 2")
    heights = [element.bounding_box() for element in (first, after, rest)]
    assert [box["y"] for box in heights if box] == sorted(box["y"] for box in heights if box)
    assert len([box for box in heights if box]) == 3


def test_attachment_is_saved_under_its_name(page: Page, shown: str) -> None:
    page.goto(shown)
    with page.expect_download() as download:
        page.get_by_role("link", name="try.py").click()
    assert download.value.suggested_filename == "try.py"
    assert Path(download.value.path()).read_text() == "print(1)\n"


def test_picture_opened_alone_runs_nothing(browser: Browser, site: Stack, page: Page, shown: str) -> None:
    page.goto(f"{shown}?lang=sv")
    address = page.get_by_role("img", name="Planen").get_attribute("src")
    with browser.new_context(base_url=site.url) as context:  # where a blocked script may be complained about
        alone = context.new_page()
        alone.goto(str(address))
        assert alone.locator("circle").count() == 1
        assert alone.locator("svg").get_attribute("ran") is None


def hostile(kind: str) -> str:
    """All hostile pieces as one statement."""
    source = "\n\n".join(PIECES.values())
    return source if kind == "md" else source.replace("#", "\\#").replace("&", "\\&").replace("%", "\\%")


def test_the_font_for_formulas_is_fetched_where_there_is_one(page: Page) -> None:
    fonts: list[str] = []
    page.on("request", lambda request: fonts.append(request.url) if request.resource_type == "font" else None)
    page.goto("/", wait_until="networkidle")
    assert fonts == []
    page.goto("/problems/basestations/", wait_until="networkidle")
    assert len(fonts) == 1


def test_the_pieces_are_hostile_where_nothing_stops_them(browser: Browser) -> None:
    with browser.new_context() as context:
        asked = record(context.new_page(), lambda page: page.set_content("\n".join(PIECES.values())))
    assert asked.ran
    assert [address for address in asked.addresses if "e.example" in address]


@pytest.mark.parametrize("kind", ["md", "tex"])
def test_hostile_statement_runs_nothing_and_asks_nobody(
    open_page: PageMaker, site: Stack, tmp_path: Path, kind: str
) -> None:
    yaml = f"problem_format_version: 2025-09\nname: '{PIECES['script']}'\nlimits: {{time_limit: 1}}\n"
    samples = {name: PIECES["script"] for name in CASES if name.startswith("data/sample")}
    files = {"problem.yaml": yaml, f"statement/problem.en.{kind}": hostile(kind), **CASES, **samples}
    address = publish(site, tmp_path / "library", f"hostile-{kind}", files)
    page = open_page()
    asked = record(page, lambda page: page.goto(address))
    assert not asked.ran
    expect(page.locator("article.statement")).to_contain_text("clobber")
    expect(page.get_by_role("heading", level=1)).to_have_text(PIECES["script"])
    assert [each for each in asked.addresses if not each.startswith(f"{site.url}{address}")] == [
        each for each in asked.addresses if each.startswith(f"{site.url}/static/")
    ]
    assert asked.addresses[0] == f"{site.url}{address}"


@dataclass(frozen=True, kw_only=True, slots=True)
class Asked:
    """What a page did: the addresses that it asked for, and whether a script of the statement ran."""

    addresses: list[str]
    ran: bool


def record(page: Page, show: Callable[[Page], object]) -> Asked:
    """Show a page, give it half a second, and tell what it did."""
    addresses: list[str] = []
    page.on("request", lambda request: addresses.append(request.url))
    page.route("**://e.example/**", lambda route: route.abort())
    show(page)
    page.wait_for_timeout(500)
    ran = bool(page.evaluate("'ran' in window"))
    return Asked(addresses=addresses, ran=ran)
