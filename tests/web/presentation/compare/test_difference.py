"""The difference between two sources."""

import re
import time

from hypothesis import given, settings, strategies as st

from web.presentation.compare.line_diff import MAX_LINES, DiffBlock, DiffLine, difference

sources = st.lists(st.sampled_from(["", "a", "b", "c = 1", "c = 2", "}", "<b>"]), max_size=30).map("\n".join)


def _text(lines: list[DiffLine]) -> list[str]:
    return [re.sub(r"<[^>]+>", "", line.html) for line in lines]


def _blocks(left: str, right: str) -> list[DiffBlock]:
    blocks = difference(left, right)
    assert blocks is not None
    return blocks


def test_equal_sources_have_no_blocks_whatever_their_line_ends() -> None:
    assert difference("a\nb\n", "a\r\nb") == []


def test_a_removed_line_stands_opposite_nothing() -> None:
    changed = [block for block in _blocks("a\nprint(start)\nb\n", "a\nb\n") if block.kind == "changed"]
    assert [(_text(block.left), _text(block.right)) for block in changed] == [(["print(start)"], [])]
    left, right = changed[0].rows[0]
    assert left is not None
    assert left.number == 2
    assert right is None


def test_changed_words_are_marked() -> None:
    block = next(block for block in _blocks("cout << x << endl;", "cout << x << '\\n';") if block.kind == "changed")
    assert '<mark class="diff-word">endl</mark>' in block.left[0].html
    assert "cout &lt;&lt; x &lt;&lt; " in block.right[0].html


def test_far_unchanged_lines_are_folded_and_counted() -> None:
    lines = [str(number) for number in range(100)]
    blocks = _blocks("\n".join(lines), "\n".join([*lines[:50], "new", *lines[50:]]))
    assert [(block.kind, block.count) for block in blocks] == [
        ("folded", 47),
        ("same", 3),
        ("changed", 1),
        ("same", 3),
        ("folded", 47),
    ]


@settings(deadline=None)
@given(sources, sources)
def test_both_sources_can_be_read_off_the_blocks(left: str, right: str) -> None:
    blocks = _blocks(left, right)
    if not blocks:
        return
    for source, side in ((left, "left"), (right, "right")):
        lines = source.removesuffix("\n").split("\n")
        shown = [line for block in blocks for line in getattr(block, side)]
        assert len(shown) + sum(block.count for block in blocks if block.kind == "folded") == len(lines)
        for line, text in zip(shown, _text(shown), strict=True):
            assert text.replace("&lt;", "<").replace("&gt;", ">") == lines[line.number - 1]


def test_markup_in_a_source_stays_text() -> None:
    html = "".join(line.html for block in _blocks("<b>x</b>", "<b>y</b>") for line in (*block.left, *block.right))
    assert "<b>" not in html
    assert "&lt;" in html


def test_sources_that_are_too_long_are_not_matched() -> None:
    left, right = ("\n".join(f"{name}{number}" for number in range(MAX_LINES + 1)) for name in "ab")
    assert difference(left, right) is None


def test_a_long_source_with_one_change_is_matched() -> None:
    lines = [str(number) for number in range(20 * MAX_LINES)]
    blocks = _blocks("\n".join(lines), "\n".join([*lines[:7_000], "new", *lines[7_000:]]))
    assert [block.kind for block in blocks].count("changed") == 1


def test_only_so_many_words_are_compared_in_all_lines_together() -> None:
    left, right = ("\n\n".join(sign * 140 + str(number) for number in range(150)) for sign in ("+-", "-+"))
    blocks = [block for block in _blocks(left, right) if block.kind == "changed"]
    are_marked = ["<mark" in line.html for block in blocks for line in block.left]
    assert len(blocks) > 100
    assert are_marked[0]
    assert not are_marked[-1]


def test_sources_made_to_stall_the_matching_do_not() -> None:
    long_lines = ["\n".join(("+-" * 140) + str(number % digit) for number in range(MAX_LINES)) for digit in (9, 10)]
    started = time.monotonic()
    assert difference(*long_lines)
    assert time.monotonic() - started < 20  # unbounded it takes minutes; far above what a loaded machine needs
