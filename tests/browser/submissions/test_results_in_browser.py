"""From the submit button to an understood verdict: live, by keyboard, without JavaScript, without a stream."""

import re
from collections.abc import Callable
from pathlib import Path

import pytest
from playwright.sync_api import Locator, Page, Route, expect

from bench.load.stack import ROOT
from sandbox.meter.meter import meter_problem
from tests.browser.conftest import PageMaker

LIBRARY = ROOT / "problems/library"
SLOW = LIBRARY / "countton/submissions/time_limit_exceeded/println.rs"
QUICK = LIBRARY / "countton/submissions/accepted/bufwriter.rs"
SUM = LIBRARY / "sumoftwo/submissions/accepted/sum.py"
LEFTOVER = LIBRARY / "basestations/submissions/wrong_answer/leftover_print.py"
LANGUAGE_IDS = {".rs": "rust", ".py": "python", ".cpp": "cpp"}


def send(page: Page, problem: str, program: Path) -> str:
    """Send the program in and return the address of its page, without waiting for the verdict."""
    page.goto(f"/problems/{problem}/")
    page.get_by_label("Language", exact=True).select_option(LANGUAGE_IDS[program.suffix])
    editor = page.get_by_role("textbox", name="Source code")
    editor.fill("")  # see `write` in test_submit_in_browser
    editor.fill(program.read_text())
    page.get_by_role("button", name="Submit").click()
    expect(page).to_have_url(re.compile(r"/submissions/\d+/$"))
    return page.url


def verdict(page: Page) -> Locator:
    return page.get_by_role("heading", level=1)


def case(page: Page, name: str) -> Locator:
    return page.locator("details.case").filter(has=page.locator("summary", has_text=name)).first


def open_reruns(case: Locator) -> None:
    """Open a case, and what it folds away of reruns."""
    case.locator("summary").first.click()
    case.locator(".reruns > summary").click()


def can_count() -> bool:
    """Whether this host counts calls by name."""
    return meter_problem() is None


@pytest.fixture
def slow_and_quick(student_page: Page) -> tuple[str, str]:
    """The addresses of E2's two variants, both judged."""
    addresses = []
    for program, meaning in ((SLOW, "Time limit exceeded"), (QUICK, "Accepted")):
        addresses.append(send(student_page, "countton", program))
        expect(verdict(student_page)).to_contain_text(meaning)
    return addresses[0], addresses[1]


def test_a_verdict_arrives_live_and_explains_itself(student_page: Page) -> None:
    streams: list[str | None] = []
    student_page.on(
        "response",
        lambda response: streams.append(response.headers.get("content-type")) if "/events" in response.url else None,
    )
    send(student_page, "countton", SLOW)
    student_page.evaluate("window.stillTheSamePage = true")
    expect(verdict(student_page)).to_contain_text("Time limit exceeded")
    assert student_page.evaluate("window.stillTheSamePage")
    assert set(streams) == {"text/event-stream"}
    expect(student_page).to_have_title(re.compile(r"^TLE · "))
    expect(student_page.get_by_role("status").filter(has_text="Time limit exceeded")).to_have_count(1)
    findings = student_page.get_by_role("region", name="Findings")
    expect(findings).to_contain_text("println!")
    expect(findings).to_contain_text("in the kernel")
    findings.get_by_role("link", name=re.compile(r"^line \d+$")).first.click()
    expect(student_page.locator("li:target")).to_contain_text("println!")
    student_page.locator(".lead").get_by_role("link", name="secret/05-large").click()
    slow = student_page.locator("details.case[open]")
    expect(slow).to_contain_text("The program was stopped at the limit")
    if can_count():
        calls = slow.get_by_role("table").first
        expect(calls.get_by_role("row").nth(1)).to_contain_text("write")
        expect(slow.get_by_role("row", name=re.compile("^stdout"))).to_be_visible()


@pytest.mark.thorough
def test_a_result_says_what_its_worker_adds_to_a_run(student_page: Page) -> None:
    send(student_page, "sumoftwo", SUM)
    expect(verdict(student_page)).to_contain_text("Accepted")
    number = r"[\d.]+\sms"
    expect(student_page.locator("#overhead")).to_have_text(
        re.compile(f"^This worker adds {number} to each run, which the times shown exclude. The CPU time shown")
    )


@pytest.mark.thorough
def test_a_finished_page_asks_for_nothing_more(student_page: Page) -> None:
    address = send(student_page, "sumoftwo", SUM)
    expect(verdict(student_page)).to_contain_text("Accepted")
    asked: list[str] = []
    student_page.on("request", lambda request: asked.append(request.url))
    student_page.wait_for_timeout(3_000)
    assert [url for url in asked if url.startswith(address)] == []


def test_a_case_that_is_opened_is_counted_once_and_what_is_open_stays_open(student_page: Page) -> None:
    send(student_page, "sumoftwo", SUM)
    expect(verdict(student_page)).to_contain_text("Accepted")
    asked: list[str] = []
    student_page.on("request", lambda request: asked.append(request.url) if request.method == "POST" else None)
    chosen, other, linked = (student_page.locator("details.case").nth(place) for place in (0, 1, -1))
    chosen.locator("summary").first.click()
    if not can_count():
        expect(chosen.get_by_role("alert")).to_be_visible()
        return
    expect(chosen.get_by_role("row", name=re.compile("^read "))).to_be_visible()
    expect(chosen).to_have_attribute("open", "")
    expect(chosen.get_by_role("row", name=re.compile("^stdin "))).to_be_visible()
    expect(chosen.get_by_text(re.compile(r"^\s*Counted 20"))).to_be_visible()
    expect(chosen.get_by_role("button", name="Profile this case")).to_have_count(0)
    student_page.locator("a.pip").last.click()
    expect(linked.get_by_role("row", name=re.compile("^read "))).to_be_visible()
    expect(linked).to_have_attribute("open", "")
    expect(chosen).to_have_attribute("open", "")
    for _ in range(2):  # closed and opened again
        chosen.locator("summary").first.click()
    expect(chosen.get_by_role("row", name=re.compile("^read "))).to_be_visible()
    expect(other).not_to_have_attribute("open", "")
    assert len(asked) == len(set(asked)) == 2, asked


@pytest.mark.parametrize(
    ("words", "part"),
    [
        ("Rerun buffered", "buffered"),
        pytest.param("Measure line costs", "lines", marks=pytest.mark.thorough),
        pytest.param("Record timeline", "timeline", marks=pytest.mark.thorough),
    ],
)
def test_the_focus_stays_where_a_case_was_asked_for(student_page: Page, words: str, part: str) -> None:
    send(student_page, "sumoftwo", SUM)
    expect(verdict(student_page)).to_contain_text("Accepted")
    case = student_page.locator("details.case").nth(1)
    case.locator("summary").first.click()
    if can_count():  # opening it has asked for that
        expect(case.get_by_role("row", name=re.compile("^stdin "))).to_be_visible()
    case.locator(".reruns > summary").click()
    case.get_by_role("button", name=words).focus()
    student_page.keyboard.press("Enter")
    heading = case.locator(f"h3#{part}-2")
    expect(heading).to_be_focused()
    expect(case.locator(".profile-pending")).to_have_count(0)
    expect(case.locator(f"#{part}-2")).to_be_focused()


def test_without_the_stream_the_page_asks_by_itself(student_page: Page) -> None:
    refused: list[str] = []

    def refuse(route: Route) -> None:
        refused.append(route.request.url)
        route.abort()

    student_page.route(re.compile(r"/events(\?|$)"), refuse)
    send(student_page, "sumoftwo", SUM)
    expect(verdict(student_page)).to_contain_text("Accepted")
    assert refused


@pytest.mark.thorough
def test_without_javascript_the_page_loads_itself_again(
    open_page: PageMaker, sign_in: Callable[[Page, str], None]
) -> None:
    page = open_page(java_script_enabled=False)
    sign_in(page, "student")
    page.goto("/problems/sumoftwo/")
    page.get_by_label("Language", exact=True).select_option("python")
    page.get_by_label("Your program").fill(SUM.read_text())
    page.get_by_role("button", name="Submit").click()
    expect(verdict(page)).to_contain_text("Accepted")
    if can_count():
        unprofiled = page.locator("details.case").filter(has=page.locator("button", has_text="Profile this case"))
        open_reruns(unprofiled.first)
        page.get_by_role("button", name="Profile this case").click()
        expect(page).to_have_url(re.compile(r"/submissions/\d+/#case-\d+$"))


def test_a_sample_shows_output_beside_the_expected_one_and_the_first_difference(student_page: Page) -> None:
    send(student_page, "basestations", LEFTOVER)
    expect(verdict(student_page)).to_contain_text("Wrong answer")
    sample = student_page.get_by_role("region", name="Your output for sample/1")
    expect(sample).to_contain_text("First difference: line 1. Expected 3, got model.")
    expect(sample.locator("figcaption")).to_have_text(["Input", "Expected output", "Your output"])
    expect(sample.locator("mark")).to_have_text(["3", "model"])
    expect(student_page.locator("details.case[open]")).to_have_count(0)


@pytest.mark.thorough
def test_a_case_opens_by_keyboard(student_page: Page) -> None:
    send(student_page, "sumoftwo", SUM)
    expect(verdict(student_page)).to_contain_text("Accepted")
    summary = case(student_page, "sample/").locator("summary").first
    summary.focus()
    summary.press("Enter")
    expect(case(student_page, "sample/").get_by_role("heading", name="Where the time went")).to_be_visible()


@pytest.mark.thorough
def test_boxes_of_the_list_lead_to_the_comparison(student_page: Page, slow_and_quick: tuple[str, str]) -> None:
    student_page.goto("/submissions/")
    button = student_page.get_by_role("button", name="Compare selected")
    expect(button).to_be_disabled()
    ids = [address.rstrip("/").rsplit("/", 1)[1] for address in slow_and_quick]
    student_page.get_by_label(f"Compare submission {ids[1]}", exact=True).check()
    expect(student_page.get_by_text("Choose one more, or several.")).to_be_visible()
    expect(button).to_be_disabled()
    student_page.get_by_label(f"Compare submission {ids[0]}", exact=True).check()
    expect(student_page.get_by_text("2 chosen.")).to_be_visible()
    button.click()
    facts = student_page.get_by_role("region", name="What changed")
    expect(facts).to_contain_text("From time limit exceeded (A) to accepted (B).")
    expect(facts).to_contain_text(
        re.compile(r"B made [\d,]+ write calls? instead of [\d,]+ \(at least [\d,]+\u00d7 fewer\)")
    )
    expect(facts).to_contain_text("lies in the kernel")
    expect(student_page.locator(".diff-split")).to_be_visible()


@pytest.mark.parametrize("scheme", ["light", pytest.param("dark", marks=pytest.mark.thorough)])
@pytest.mark.thorough
def test_on_a_phone_a_result_is_short_and_no_page_scrolls_sideways(
    open_page: PageMaker, sign_in: Callable[[Page, str], None], scheme: str
) -> None:
    page = open_page(viewport={"width": 390, "height": 844}, color_scheme=scheme)
    sign_in(page, "student")
    sent = {}
    for problem, program, meaning in (
        ("basestations", LEFTOVER, "Wrong answer"),
        ("countton", SLOW, "Time limit exceeded"),
        ("countton", QUICK, "Accepted"),
    ):
        sent[program] = send(page, problem, program)
        expect(verdict(page)).to_contain_text(meaning)
        if program is SLOW:
            expect(page.locator(".buffered-said, .fix-said").filter(visible=True).first).to_be_visible()
        assert page.locator("html").evaluate("html => html.scrollHeight") < 3_000, meaning
    for summary in page.locator("main summary").all():
        summary.click()
    a, b = (address.rstrip("/").rsplit("/", 1)[1] for address in (sent[SLOW], sent[QUICK]))
    for address in (None, "/submissions/", f"/compare/?s={a}&s={b}", f"/compare/?s={a}"):
        if address:
            page.goto(address)
        assert page.locator("html").evaluate("html => html.scrollWidth") <= 390, address


@pytest.mark.thorough
def test_a_changed_source_is_shown_with_what_it_gained_and_opens_in_the_editor(student_page: Page) -> None:
    send(student_page, "countton", SLOW)
    expect(verdict(student_page)).to_contain_text("Time limit exceeded")
    changed = student_page.get_by_role("region", name="Changed source")
    expect(changed).to_contain_text("Measured:", timeout=120_000)  # by itself
    expect(changed).to_contain_text("It would be accepted.")
    expect(changed.locator("td.left", has_text="println!").first).to_contain_text("removed")
    expect(changed.locator("td.right", has_text="writeln!").first).to_contain_text("added")
    for scheme in ("light", "dark"):
        student_page.emulate_media(color_scheme=scheme)
        for width in (1280, 390):
            student_page.set_viewport_size({"width": width, "height": 900})
            assert student_page.locator("html").evaluate("html => html.scrollWidth <= html.clientWidth")
        student_page.evaluate((ROOT / "node_modules/axe-core/axe.min.js").read_text())
        found = student_page.evaluate("axe.run('.fix', {resultTypes: ['violations']})")
        assert [violation["id"] for violation in found["violations"]] == []
    student_page.set_viewport_size({"width": 1280, "height": 900})
    changed.get_by_role("link", name="Open in editor").click()
    expect(student_page.get_by_role("textbox", name="Source code")).to_contain_text("writeln!")
    expect(student_page.get_by_text("The editor has the changed source of")).to_be_visible()


NEAR_THE_LIMIT = """
#include <ctime>
#include <iostream>
int main() {
    long long a, b;
    std::cin >> a >> b;
    while (a == 3 && b == 4 && clock() < 0.92 * CLOCKS_PER_SEC) {}
    std::cout << a + b << "\\n";
}
"""


@pytest.mark.thorough
def test_a_case_near_its_limit_is_repeated_after_the_verdict_and_drawn(student_page: Page, tmp_path: Path) -> None:
    program = tmp_path / "near.cpp"
    program.write_text(NEAR_THE_LIMIT)
    send(student_page, "sumoftwo", program)
    expect(verdict(student_page)).to_contain_text("Accepted")
    head = student_page.locator(".result-said")
    expect(head).to_contain_text(re.compile(r"\d of 5 further runs (was|were) (within|over) the limit of 1\ss"))
    head.get_by_role("link", name="All runs").click()
    plot = student_page.get_by_role("img", name=re.compile(r"^Judged: .* Further runs: (.*, ){4}.*\. Limit: 1\ss\.$"))
    expect(plot).to_be_visible()
    assert plot.locator("circle").count() >= 6
    for width in (1280, 390):
        student_page.set_viewport_size({"width": width, "height": 900})
        frame = plot.bounding_box()
        assert frame is not None
        for dot in plot.locator("circle").all():
            box = dot.bounding_box()
            assert box is not None
            assert frame["x"] <= box["x"] <= box["x"] + box["width"] <= frame["x"] + frame["width"]
