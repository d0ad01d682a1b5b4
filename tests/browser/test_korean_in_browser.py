"""Hangul by an input method: what is being composed sends nothing and is lost nowhere. And a file in CP949.

How it works: Chromium's debugging protocol sets and commits a composition as an input method does. The keys that an
input method takes for itself reach the page as "Process" (code 229); others, pressed meanwhile, as themselves.
"""

import re
from pathlib import Path

import pytest
from playwright.sync_api import CDPSession, Locator, Page, expect

PROBLEM = "/problems/sumoftwo/"
SUM = "print(sum(map(int, input().split())))"
SYLLABLES = {"한": ["ㅎ", "하", "한"], "글": ["ㄱ", "그", "글"]}


class InputMethod:
    """A Korean input method at the focused field of a page."""

    def __init__(self, page: Page) -> None:
        self._protocol: CDPSession = page.context.new_cdp_session(page)

    def compose(self, text: str) -> None:
        """Show the text as composed and not yet committed."""
        place = {"selectionStart": len(text), "selectionEnd": len(text)}
        self._protocol.send("Input.imeSetComposition", {"text": text, **place})

    def commit(self, text: str) -> None:
        """End the composition with this text."""
        self._protocol.send("Input.insertText", {"text": text})

    def write(self, word: str) -> None:
        """Compose and commit syllable by syllable."""
        for syllable in word:
            for step in SYLLABLES[syllable]:
                self.compose(step)
            self.commit(syllable)

    def take_key(self) -> None:
        """Press a key that the input method takes, such as Enter, which ends a composition."""
        key = {"windowsVirtualKeyCode": 229, "key": "Process", "code": "Enter"}
        self._protocol.send("Input.dispatchKeyEvent", {"type": "rawKeyDown", **key})
        self._protocol.send("Input.dispatchKeyEvent", {"type": "keyUp", **key})


@pytest.fixture
def input_method(student_page: Page) -> InputMethod:
    return InputMethod(student_page)


@pytest.fixture
def editor(student_page: Page) -> Locator:
    student_page.goto(PROBLEM)
    student_page.get_by_label("Language", exact=True).select_option("python")
    written = student_page.get_by_role("textbox", name="Source code")
    written.fill("")
    written.focus()
    return written


def sent(page: Page) -> str:
    """What the form would send as the source."""
    return str(page.evaluate("document.querySelector('form[data-draft]').elements.source.value"))


def test_a_composition_in_the_editor_sends_nothing_and_is_sent_whole(
    student_page: Page, editor: Locator, input_method: InputMethod
) -> None:
    student_page.keyboard.type(SUM)
    student_page.keyboard.type("  # ")
    input_method.write("한")
    input_method.compose("그")
    expect(editor).to_contain_text(f"{SUM}  # 한그")
    assert sent(student_page) == f"{SUM}  # 한그", "a click on Submit would lose nothing"
    input_method.take_key()
    student_page.keyboard.press("Control+Enter")
    input_method.compose("글")
    expect(student_page).to_have_url(re.compile(f"{PROBLEM}$"))
    expect(student_page.get_by_role("button", name="Submit")).to_be_enabled()
    input_method.commit("글")
    expect(editor.locator(".cm-line")).to_have_text([f"{SUM}  # 한글"])
    student_page.keyboard.press("Control+Enter")
    expect(student_page).to_have_url(re.compile(r"/submissions/\d+/$"))
    expect(student_page.locator("ol.source")).to_contain_text("# 한글")


def test_a_composition_is_kept_as_draft_and_undone_like_typing(
    student_page: Page, editor: Locator, input_method: InputMethod
) -> None:
    student_page.keyboard.type("# ")
    input_method.write("한글")
    expect(editor).to_have_text("# 한글")
    student_page.reload()
    expect(editor).to_have_text("# 한글")
    editor.focus()
    student_page.keyboard.press("Control+End")
    input_method.write("한")
    expect(editor).to_have_text("# 한글한")
    student_page.keyboard.press("Control+z")
    expect(editor).to_have_text("# 한글")


def test_enter_that_ends_a_composition_sends_no_form(student_page: Page, input_method: InputMethod) -> None:
    student_page.goto("/problems/")
    search = student_page.get_by_label("Search")
    search.focus()
    input_method.write("한")
    input_method.compose("글")
    input_method.take_key()
    input_method.commit("글")
    expect(search).to_have_value("한글")
    expect(student_page).to_have_url(re.compile(r"/problems/$"))
    student_page.keyboard.press("Enter")
    expect(student_page).to_have_url(re.compile(r"\?(.*&)?q=%ED%95%9C%EA%B8%80"))
    expect(student_page.get_by_label("Search")).to_have_value("한글")


def test_a_preview_that_comes_meanwhile_ends_no_composition(instructor_page: Page) -> None:
    page, input_method = instructor_page, InputMethod(instructor_page)
    page.goto("/problems/new/")
    text = page.get_by_label("Text", exact=True)
    text.focus()
    input_method.write("한")
    input_method.compose("그")
    expect(page.locator("#preview")).to_contain_text("한그")
    input_method.compose("글")
    expect(text).to_be_focused()
    input_method.commit("글")
    expect(text).to_have_value("한글")
    expect(page.locator("#preview")).to_contain_text("한글")


def test_a_file_in_cp949_is_sent_as_it_is_and_judged_as_utf8(student_page: Page, tmp_path: Path) -> None:
    source = tmp_path / "합.py"
    source.write_bytes(f"# -*- coding: cp949 -*-\n# 두 수의 합\n{SUM}\n".encode("cp949"))
    student_page.goto(PROBLEM)
    student_page.locator("#id_file").set_input_files(source)
    expect(student_page.get_by_role("status")).to_contain_text(["합.py is CP949 text. It is sent as it is"])
    student_page.get_by_role("button", name="Submit").click()
    expect(student_page.get_by_role("heading", level=1)).to_contain_text("Accepted")
    expect(student_page.get_by_text("The source was sent in CP949.")).to_be_visible()
    expect(student_page.locator("ol.source")).to_contain_text("두 수의 합")
    with student_page.expect_download() as download:
        student_page.get_by_role("link", name="Download").click()
    assert download.value.path().read_bytes() == source.read_bytes()


def test_a_file_that_is_no_text_is_said_at_once_and_not_sent(student_page: Page, tmp_path: Path) -> None:
    student_page.goto(PROBLEM)
    for number, content in enumerate((b"# caf\xe9\n", b"\xff\xfe\x00\xd8", b"\x7fELF\xff")):
        source = tmp_path / f"x{number}.py"
        source.write_bytes(content)
        student_page.locator("#id_file").set_input_files(source)
        said = f"x{number}.py is neither UTF-8 nor CP949 text."
        expect(student_page.get_by_role("status")).to_contain_text([said])
        assert student_page.locator("#id_file").input_value() == ""
    (tmp_path / "wide.py").write_bytes(SUM.encode("utf-16"))
    student_page.locator("#id_file").set_input_files(tmp_path / "wide.py")
    expect(student_page.get_by_role("status")).to_contain_text(["wide.py is UTF-16 text."])
