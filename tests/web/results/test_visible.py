"""What strangers wrote is shown, never obeyed."""

import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from web.presentation.sources import MAX_LINES, source_lines
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


@pytest.mark.parametrize("language", ["python", "cpp", "rust", "no-such-language"])
@pytest.mark.parametrize(
    "source",
    [
        "print(1)\n",
        '"""one\ntwo\n"""\nx = 3',
        "/* a\n\n b */ int x;\n\n",
        "",
        "\n\n\n",
        "a\r\nb\r\n",
        "a\rb\n",
        "<&>\n",
    ],
)
def test_a_source_keeps_its_lines(source: str, language: str) -> None:
    wanted = source.replace("\r\n", "\n").removesuffix("\n").split("\n")
    shown = [_unescaped(line) for line in source_lines(source, language)]
    assert [line.replace("\u240d", "\\x0d") for line in shown] == [line.replace("\r", "\\x0d") for line in wanted]


def _unescaped(line: str) -> str:
    return _plain(line).replace("&lt;", "<").replace("&gt;", ">").replace("&quot;", '"').replace("&amp;", "&")


def test_source_is_highlighted_with_classes_only() -> None:
    html = "".join(source_lines("def f():\n    return '<b>'\n", "python"))
    assert 'class="k"' in html
    assert "style=" not in html
    assert "<b>" not in html


def test_bidirectional_controls_in_a_source_are_marked() -> None:
    assert "U+202E" in source_lines("# \u202e } if admin\n", "python")[0]


@pytest.mark.parametrize(
    "source", ["\n" * 131_072, "//" * 65_536, "{" * 131_072, 'r#"' * 40_000, "int a" + ("\n" + " " * 400) * 80]
)
@pytest.mark.timeout(20)
def test_a_source_made_to_stall_the_highlighter_is_plain(source: str) -> None:
    assert 0 < len(source_lines(source, "cpp")) <= MAX_LINES
