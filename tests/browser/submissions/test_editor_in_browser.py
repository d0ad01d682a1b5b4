"""The editor in each language: colours, indentation, brackets, search, and the keyboard's ways."""

import re

import pytest
from playwright.sync_api import Locator, Page, expect

from judge.grading.languages import LANGUAGES

KINDS = ("keyword", "string", "number", "comment", "name", "type")
COLOURS = """(kinds) => {
  const probe = document.body.appendChild(document.createElement("i"));
  const kindOf = Object.fromEntries(kinds.map((kind) => {
    probe.style.color = `var(--code-${kind})`;
    return [getComputedStyle(probe).color, kind];
  }));
  probe.remove();
  const words = [...document.querySelectorAll(".cm-line span")];
  return Object.fromEntries(words.map((word) => [word.textContent, kindOf[getComputedStyle(word).color]]));
}"""
PYTHON = ["def solve(n):", "x = 12 + n  # why", 'print("ab")']
CPP = ["int solve(vector<int> v) {", "return v.size() + 12;  // why", 'puts("ab");']
RUST = ["fn solve(v: &mut Vec<u32>) {", "v.push(12); // why", 'println!("ab");']
COLOURED = {
    "python": {
        "def": "keyword",
        "solve": "name",
        "12": "number",
        "# why": "comment",
        "print": "name",
        '"ab"': "string",
    },
    "cpp": {"int": "type", "vector": "type", "return": "keyword", "size": "name", "12": "number", '"ab"': "string"},
    "rust": {"fn": "keyword", "mut": "keyword", "Vec": "type", "u32": "type", "push": "name", "println!": "name"},
}


def test_every_language_is_coloured() -> None:
    assert COLOURED.keys() == LANGUAGES.keys()


@pytest.fixture
def editor(student_page: Page) -> Locator:
    student_page.goto("/problems/sumoftwo/")
    written = student_page.get_by_role("textbox", name="Source code")
    written.fill("")
    return written


def _type(editor: Locator, language: str, lines: list[str]) -> None:
    editor.page.get_by_label("Language", exact=True).select_option(language)
    editor.focus()
    for line in lines:
        editor.page.keyboard.type(line)
        editor.page.keyboard.press("Enter")


@pytest.mark.parametrize(("language", "lines"), [("python", PYTHON), ("cpp", CPP), ("rust", RUST)])
def test_what_is_typed_is_indented_and_coloured(editor: Locator, language: str, lines: list[str]) -> None:
    _type(editor, language, lines)
    first, *block = lines
    expect(editor.locator(".cm-line")).to_have_text([first, *(f"    {line}" for line in block), "    "])
    coloured = editor.page.evaluate(COLOURS, KINDS)
    assert {word: coloured.get(word) for word in COLOURED[language]} == COLOURED[language]


def test_a_closing_brace_goes_back_and_shows_the_one_it_closes(editor: Locator) -> None:
    _type(editor, "cpp", ["int main() {", 'puts("{");'])
    editor.page.keyboard.type("}")
    expect(editor.locator(".cm-line").last).to_have_text("}")
    expect(editor.locator(".cm-matchingBracket")).to_have_text(["{", "}"])
    expect(editor.locator(".cm-line").first.locator(".cm-matchingBracket")).to_have_count(1)


def test_the_keyboard_indents_comments_out_undoes_searches_and_leaves(editor: Locator) -> None:
    _type(editor, "python", ["x = 1"])
    keyboard, line = editor.page.keyboard, editor.locator(".cm-line").first
    keyboard.press("Control+Home")
    keyboard.press("Tab")
    expect(line).to_have_text("    x = 1")
    keyboard.press("Control+/")
    expect(line).to_have_text("    # x = 1")
    keyboard.press("Control+z")
    keyboard.press("Control+z")
    expect(line).to_have_text("x = 1")
    keyboard.press("Control+f")
    expect(editor.page.get_by_role("textbox", name="Find")).to_be_focused()
    keyboard.press("Escape")
    expect(editor).to_be_focused()
    keyboard.press("Escape")
    keyboard.press("Tab")
    expect(editor).not_to_be_focused()
    keyboard.press("Shift+Tab")
    expect(editor).to_be_focused()
    keyboard.press("Tab")  # nothing has been typed since
    expect(editor).not_to_be_focused()
    expect(line).to_have_text("x = 1")
    expect(editor).to_have_accessible_description(re.compile("press Escape, then Tab"))
