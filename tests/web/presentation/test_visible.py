"""What strangers wrote is shown, never obeyed."""

import json
import re
from importlib import import_module

import pytest
from hypothesis import given, settings, strategies as st

from judge.grading.reading.syntax.__main__ import tokens_in
from web.management.commands.record_tokens import our_sources
from web.presentation.sources import MAX_LINES, our_tokens, source_lines
from web.presentation.visible import EXCERPT_BYTES, visible_bytes, visible_text

_TAG = re.compile(r"<(?!/?span\b)[^>]*>")


def _plain(html: str) -> str:
    return re.sub(r"<[^>]+>", "", html)


def test_markup_is_text() -> None:
    assert visible_text("<script>alert(1)</script>") == "&lt;script&gt;alert(1)&lt;/script&gt;"


def test_nul_and_invalid_utf8_are_escaped() -> None:
    assert _plain(visible_bytes(b"a\x00b\xffc\n")) == "a\\x00b\\xffc\n"


def test_line_breaks_and_tabs_stay_and_a_carriage_return_shows() -> None:
    assert _plain(visible_bytes(b"a\tb\r\n")) == "a\tb\\x0d\n"


@pytest.mark.parametrize("character", ["\u202e", "\u2066", "\u200b", "\ufeff", "\u061c"])
def test_bidirectional_and_invisible_characters_are_named(character: str) -> None:
    html = visible_text(f"a{character}b")
    assert character not in html
    assert f"U+{ord(character):04X}" in html


def test_many_in_a_row_have_one_mark_that_names_each() -> None:
    html = visible_bytes(b"a\x1b\x00\xff\xfeb" + "\u202e\u202e\u202a".encode())
    assert _plain(html) == "a\\x1b\\x00\\xff\\xfebU+202E U+202EU+202A"
    assert re.findall(r'title="([^"]+)"', html) == [
        "control character",
        "invalid UTF-8",
        "right-to-left override",
        "left-to-right embedding",
    ]
    assert len(visible_text("\x1b" * 65_536)) < 5 * 65_536


def test_a_character_cut_by_the_cap_is_dropped() -> None:
    whole = ("x" * (EXCERPT_BYTES - 1) + "\u00e9").encode()
    assert visible_bytes(whole[:EXCERPT_BYTES]) == "x" * (EXCERPT_BYTES - 1)


def test_a_short_output_that_ends_in_the_middle_of_a_character_shows_it() -> None:
    assert _plain(visible_bytes(b"x\xc3")) == "x\\xc3"


@settings(deadline=None)
@given(st.binary(max_size=200))
def test_no_bytes_make_markup_or_stay_invisible(data: bytes) -> None:
    html = visible_bytes(data)
    assert not _TAG.search(html)
    assert not re.search(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069\ud800-\udfff]", html)


SOURCES = [
    "print(1)\n",
    '"""one\ntwo\n"""\nx = 3',
    "/* a\n\n b */ int x;\n\n",
    "",
    "\n\n\n",
    "a\r\nb\r\n",
    "a\rb\n",
    "<&>\n",
    "// \u00e4\r\n",
]


@pytest.mark.parametrize("source", SOURCES)
@pytest.mark.parametrize("tokens", ["", "[0,3,0]", "[0,4,1,0,1,2]", "[1,1,3,1,9,0]"])
def test_a_source_keeps_its_lines(source: str, tokens: str) -> None:
    wanted = source.replace("\r\n", "\n").removesuffix("\n").split("\n")
    lines = [_unescaped(line) for line in source_lines(source, tokens)]
    assert [line for line in lines if "\ufffd" not in line] == [
        line.replace("\r", "\\x0d") for line, seen in zip(wanted, lines, strict=True) if "\ufffd" not in seen
    ]


def _unescaped(line: str) -> str:
    return (
        _plain(line)
        .replace("&lt;", "<")
        .replace("&gt;", ">")
        .replace("&quot;", '"')
        .replace("&#x27;", "'")
        .replace("&amp;", "&")
    )


def test_tokens_colour_a_source_with_classes_only() -> None:
    html = source_lines("def f():\n    return '<b>'\n", "[0,3,3,10,6,3,1,5,1]")
    assert html[0] == '<span class="k">def</span> f():'
    assert html[1] == '    <span class="k">return</span> <span class="s">&#x27;&lt;b&gt;&#x27;</span>'


def test_a_token_of_several_lines_ends_at_each() -> None:
    assert source_lines("/* a\r\n b */ x", "[0,10,0]") == [
        '<span class="c">/* a</span>',
        '<span class="c"> b *</span>/ x',
    ]


def test_a_source_that_nobody_has_read_is_plain() -> None:
    assert source_lines("def f(): pass", None) == source_lines("def f(): pass", "") == ["def f(): pass"]


def test_bidirectional_controls_in_a_source_are_marked() -> None:
    assert "U+202E" in source_lines("# \u202e } if admin\n", "[0,14,0]")[0]


@pytest.mark.parametrize(
    "source", ["\n" * 131_072, "//" * 65_536, "{" * 131_072, 'r#"' * 40_000, "int a" + ("\n" + " " * 400) * 80]
)
@pytest.mark.timeout(20)
def test_a_long_source_has_its_first_lines(source: str) -> None:
    tokens = json.dumps([0, 1, 3] * min(20_000, len(source)))
    assert 0 < len(source_lines(source, tokens)) <= MAX_LINES


def test_our_own_sources_have_their_tokens() -> None:
    """`manage.py record_tokens` writes them."""
    for language, source in our_sources():
        syntax = import_module(f"judge.grading.reading.syntax.{language}")
        tokens = tokens_in(syntax.PARSER.parse(source.encode()).root_node, syntax.TOKENS)
        assert json.loads(our_tokens(language, source)) == tokens
    assert our_tokens("python", "somebody's") == ""
