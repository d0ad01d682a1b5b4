"""A wrong output of a sample beside the expected one and the input, with the first difference marked.

What a checker takes for equal is not known here: white space and upper case count only where nothing else differs. The
default checker gives the number of the token; that one is marked where it differs.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass

from django.utils.html import format_html, format_html_join
from django.utils.safestring import SafeString
from django.utils.translation import gettext as _

from judge.models import TestCaseResult
from problems.package import Sample
from web.presentation.visible import EXCERPT_BYTES, visible_bytes, visible_text

MOST_LINES = 8  # of each side
_LINES_BEFORE = 3  # the difference
_MOST_CHARACTERS = 160  # of a line
_CHARACTERS_BEFORE = 60  # the difference
_MOST_TOKEN_BYTES = 60  # in a sentence
_TOKEN = re.compile(rb"[^ \t\n\v\f\r]+")
_BLANKS = {" ": "\N{MIDDLE DOT}", "\t": "\N{RIGHTWARDS ARROW}", "\r": "\\r"}
_LINE_END = "\N{DOWNWARDS ARROW WITH CORNER LEFTWARDS}"
Span = tuple[int, int]  # of bytes: from, to


@dataclass(frozen=True, kw_only=True, slots=True)
class Line:
    """One line of a side. `is_different`: the first difference is in it."""

    number: int
    html: SafeString
    is_different: bool


@dataclass(frozen=True, kw_only=True, slots=True)
class Side:
    """The input, the expected output or the program's, as far as it is shown. `note`: what its end is like."""

    title: str
    lines: tuple[Line, ...]
    lines_before: int  # that are not shown
    is_cut: bool  # nor is what follows
    note: str


@dataclass(frozen=True, kw_only=True, slots=True)
class Difference:
    """The first difference in words, and the sides: the input if it is known, the expected output, the program's."""

    sentence: SafeString
    sides: tuple[Side, ...]


def difference_of(result: TestCaseResult, samples: Sequence[Sample]) -> Difference | None:
    """Return the difference of a judged sample, whose input is that of the statement; None of any other case."""
    if not result.is_sample:
        return None
    expected, output = bytes(result.expected), bytes(result.output)
    is_cut = result.stdout_bytes > len(output) or len(expected) >= EXCERPT_BYTES
    token = result.ending.difference if result.ending else None
    spans = _first(expected, output, token.number if token else 0, is_cut=is_cut)
    sides = []
    text = next((sample.input for sample in samples if sample.name == result.name), None)
    if text is not None and result.passes <= 1:  # a package may show another text than the program reads
        shown = text[: 2 * EXCERPT_BYTES].encode()
        sides.append(_side(_("Input"), shown, None, is_cut=len(text) > 2 * EXCERPT_BYTES))
    for title, data, span in ((_("Expected output"), expected, spans[0]), (_("Your output"), output, spans[1])):
        size = result.stdout_bytes if data is output else len(data)
        data_is_cut = size > len(data) or len(data) >= EXCERPT_BYTES
        sides.append(_side(title, data, span, is_cut=data_is_cut))
    return Difference(sentence=_sentence(expected, output, spans), sides=tuple(sides))


def _first(expected: bytes, output: bytes, token: int, *, is_cut: bool) -> tuple[Span | None, Span | None]:
    """Return where the first difference is in both; None: it is not in the part that was kept."""
    theirs, ours = ([match.span() for match in _TOKEN.finditer(data)] for data in (expected, output))
    index = None
    if 0 < token <= max(len(theirs), len(ours)):
        tokens = _span_at(theirs, token - 1, expected), _span_at(ours, token - 1, output)
        index = token - 1 if expected[slice(*tokens[0])] != output[slice(*tokens[1])] else None
    if index is None:
        pairs = zip(theirs, ours, strict=False)
        differing = (at for at, (a, b) in enumerate(pairs) if expected[slice(*a)].lower() != output[slice(*b)].lower())
        index = next(differing, None)
    if index is None and len(theirs) != len(ours) and not is_cut:
        index = min(len(theirs), len(ours))
    if index is not None:
        return _span_at(theirs, index, expected), _span_at(ours, index, output)
    if is_cut or expected == output:
        return None, None
    same = next((at for at, (a, b) in enumerate(zip(expected, output, strict=False)) if a != b), None)
    start = min(len(expected), len(output)) if same is None else same
    return (start, min(start + 1, len(expected))), (start, min(start + 1, len(output)))


def _span_at(spans: list[Span], index: int, data: bytes) -> Span:
    return spans[index] if index < len(spans) else (len(data), len(data))


def _sentence(expected: bytes, output: bytes, spans: tuple[Span | None, Span | None]) -> SafeString:
    theirs, ours = spans
    if theirs is None or ours is None:
        return visible_text(_("The first difference is not in the part that is shown."))
    line = output.count(b"\n", 0, ours[0]) + 1
    expected_lines, got = expected[slice(*theirs)], output[slice(*ours)]
    if expected.split() == output.split():
        sentence = _("First difference: <strong>line {line}</strong>. Only white space differs.")
    elif not got.strip():
        sentence = _("Your output ends too early: {expected} is missing.")
    elif not expected_lines.strip():
        sentence = _(
            "First difference: <strong>line {line}</strong>. {got} is too much: nothing more is expected there."
        )
    else:
        sentence = _("First difference: <strong>line {line}</strong>. Expected {expected}, got {got}.")
    return format_html(sentence, line=line, expected=_code(expected_lines), got=_code(got))


def _code(token: bytes) -> SafeString:
    cut = "\N{HORIZONTAL ELLIPSIS}" if len(token) > _MOST_TOKEN_BYTES else ""
    return format_html("<code>{}{}</code>", visible_bytes(token[:_MOST_TOKEN_BYTES], _MOST_TOKEN_BYTES), cut)


def _side(title: str, data: bytes, span: Span | None, *, is_cut: bool) -> Side:
    """Return the lines around the difference, or the first ones."""
    raw = data.split(b"\n")
    has_line_end = raw[-1] == b""
    different = data.count(b"\n", 0, span[0]) if span else -1
    last = len(raw) - (has_line_end and different != len(raw) - 1 and len(raw) > 1)
    first = max(0, different - _LINES_BEFORE)
    line_start = sum(len(line) + 1 for line in raw[:different]) if span else 0
    lines = []
    for at in range(first, min(last, first + MOST_LINES)):
        here = (span[0] - line_start, span[1] - line_start) if span and at == different else None
        html = _marked(raw[at], here, ends=at < len(raw) - 1) if here else _plain(raw[at])
        lines.append(Line(number=at + 1, html=html, is_different=here is not None))
    return Side(
        title=title,
        lines=tuple(lines) if data or span else (),
        lines_before=first,
        is_cut=is_cut or last > first + MOST_LINES,
        note="" if has_line_end or is_cut or not data else _("No line end after the last line."),
    )


def _plain(line: bytes) -> SafeString:
    """Return the line, with the blanks at its end made visible."""
    text = line.decode("utf-8", "surrogateescape")
    if len(text) > _MOST_CHARACTERS:
        return format_html("{}\N{HORIZONTAL ELLIPSIS}", visible_text(text[:_MOST_CHARACTERS]))
    inside = text.rstrip(" \t\r")
    return format_html("{}{}", visible_text(inside), _blanks(text[len(inside) :]))


def _marked(line: bytes, span: Span, *, ends: bool) -> SafeString:
    """Return the line with the difference marked, and with its blanks and its end made visible."""
    before, here, after = (
        part.decode("utf-8", "surrogateescape") for part in (line[: span[0]], line[slice(*span)], line[span[1] :])
    )
    end = SafeString(f'<span class="blank-mark">{_LINE_END}</span>') if ends else SafeString()
    is_at_end = not here and not after
    return format_html(
        "{}{}<mark>{}{}</mark>{}{}{}",
        "\N{HORIZONTAL ELLIPSIS}" if len(before) > _CHARACTERS_BEFORE else "",
        _blanks(before[-_CHARACTERS_BEFORE:]),
        _blanks(here[:_MOST_CHARACTERS]),
        (end or "\N{NO-BREAK SPACE}") if is_at_end else "",
        _blanks(after[:_MOST_CHARACTERS]),
        "\N{HORIZONTAL ELLIPSIS}" if len(after) > _MOST_CHARACTERS else "",
        "" if is_at_end else end,
    )


def _blanks(text: str) -> SafeString:
    """Return the text as safe HTML, with a sign for each space, tab and carriage return."""
    parts = [
        format_html('<span class="blank-mark">{}</span>', _BLANKS[part]) if part in _BLANKS else visible_text(part)
        for part in re.split(r"([ \t\r])", text)
    ]
    return format_html_join("", "{}", ((part,) for part in parts))
