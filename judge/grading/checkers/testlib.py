"""Checkers with an original `testlib.h`: their arguments and the meaning of their exit codes.

They take the files input, output, answer and say 0 ok, 1 wrong, 2 wrong format (4, 8: of its kinds), 3 the jury's own
fault, 7 points (`points 0.75 words` on stderr); any other code is a partial answer, only with `partially correct (N)`
on stderr. Variants of the header made for this package format exit with 42 and 43, and are ordinary output validators.

Which of the two a header is tells its own text: what OK_EXIT_CODE is where the checker includes it. Conditions are
followed as far as they ask whether a name is defined; of all others the alternative counts. A setter writes this text
and it is read for every submission, so each step takes time in proportion to its length.
"""

import math
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import PurePosixPath

from judge.grading.verdicts import Judgement

HEADER = "testlib.h"
_OK, _WRONG, _POINTS = 0, (1, 2, 4, 8), 7
_PARTIAL_BASES = (0, 50)  # PC_BASE_EXIT_CODE
_ORDINARY = 42
_INCLUDE = re.compile(r'^[ \t]*#[ \t]*include[ \t]*["<](?:[^">\n]*/)?testlib\.h[">]', re.MULTILINE)
_OPENS_COMMENT = re.compile(r"/\*|//")
_DIRECTIVE = re.compile(r"^[ \t]*#[ \t]*(\w+)[ \t]*(.*)$", re.MULTILINE)
_TOKEN = re.compile(r"\w+|[^\w\s]")
_NUMBER = r"([+-]?(?:[0-9]+(?:\.[0-9]*)?|\.[0-9]+)(?:[eE][+-]?[0-9]+)?)"
_SAYS_POINTS = re.compile(rf"^\s*points\s+{_NUMBER}(?=\s|$)")
_SAYS_PARTIAL = re.compile(r"^\s*partially correct \(([0-9]{1,9})\)")


def includes_header(files: Mapping[str, bytes]) -> bool:
    """Return whether a program of these files includes any `testlib.h`."""
    return any(_INCLUDE.search(_text(content)) for name, content in files.items() if not _is_header(name))


def is_original(files: Mapping[str, bytes]) -> bool:
    """Return whether a program of these files includes one of them as `testlib.h` with testlib's own exit codes."""
    header = next((_text(content) for name, content in files.items() if _is_header(name)), None)
    users = [_text(content) for name, content in files.items() if not _is_header(name)]
    before = [text[: include.start()] for text in users if (include := _INCLUDE.search(text))]
    if header is None or not before:
        return False
    defined = {"__cplusplus": "202002", "__GNUC__": "12", "__linux__": "1", "__unix__": "1"}
    for text in (before[0], header):
        for directive, rest in _directives(text, defined):
            word, _, value = rest.strip().partition(" ")
            if directive == "define":
                defined[word] = value.strip().strip("()").strip()
            elif directive == "undef":
                defined.pop(word, None)
    try:
        return int(defined["OK_EXIT_CODE"], 0) != _ORDINARY
    except (KeyError, ValueError):
        return re.search(rf"\b{_ORDINARY}\b", _without_comments(header)) is None


def judgement_of(exit_code: int, stderr: str, *, is_scoring: bool) -> Judgement | None:
    """Return its judgement; None if it gave none, or an unsuitable one: points in a problem without scoring."""
    partial = _SAYS_PARTIAL.match(stderr)
    if partial and exit_code - int(partial[1]) in _PARTIAL_BASES:
        score = float(partial[1])
        is_accepted = is_scoring and score > 0
        return Judgement(is_accepted=is_accepted, message=stderr, score=score if is_accepted else None)
    if exit_code == _OK or exit_code in _WRONG:
        return Judgement(is_accepted=exit_code == _OK, message=stderr)
    points = _SAYS_POINTS.match(stderr)
    if exit_code == _POINTS and points and is_scoring and math.isfinite(float(points[1])):
        return Judgement(is_accepted=True, message=stderr, score=float(points[1]))
    return None


def _is_header(name: str) -> bool:
    return PurePosixPath(name).name == HEADER


def _text(content: bytes) -> str:
    return content.decode("latin-1").replace("\r\n", "\n").replace("\\\n", " ")


def _without_comments(text: str) -> str:
    """Return the text with a space for each comment; an unclosed comment start stays."""
    lines = []
    done = start = 0
    last_closing = text.rfind("*/")
    while opening := _OPENS_COMMENT.search(text, start):
        start = opening.end()
        if opening[0] == "//":
            end = text.find("\n", start)
        elif start <= last_closing:
            end = text.index("*/", start) + len("*/")
        else:
            continue
        lines.append(text[done : opening.start()])
        done = start = end if end >= 0 else len(text)
    return " ".join((*lines, text[done:]))


@dataclass(slots=True)
class _Condition:
    """An open `#if`: whether its current part applies, and whether any part did."""

    is_on: bool
    was_on: bool
    is_outside_on: bool


def _directives(text: str, defined: Mapping[str, str]) -> Iterator[tuple[str, str]]:
    """Yield the directives outside false conditions, with the text after each."""
    open_ones: list[_Condition] = []
    for match in _DIRECTIVE.finditer(_without_comments(text)):
        directive, rest = match.groups()
        is_on = not open_ones or open_ones[-1].is_on
        if directive in ("if", "ifdef", "ifndef"):
            holds = _holds(directive, rest, defined)
            open_ones.append(_Condition(is_on=is_on and holds, was_on=holds, is_outside_on=is_on))
        elif directive in ("elif", "else") and open_ones:
            last = open_ones[-1]
            holds = not last.was_on and (directive == "else" or _holds("if", rest, defined))
            last.is_on, last.was_on = last.is_outside_on and holds, last.was_on or holds
        elif directive == "endif" and open_ones:
            open_ones.pop()
        elif is_on:
            yield directive, rest


def _holds(directive: str, rest: str, defined: Mapping[str, str]) -> bool:
    if directive != "if":
        return (rest.split()[:1] == [] or rest.split()[0] in defined) == (directive == "ifdef")
    tokens = [part for part in _TOKEN.findall(rest) if part not in "()"]
    nots = tokens[:-2]
    if tokens[-2:-1] != ["defined"] or any(part != "!" for part in nots):
        return rest.strip() in ("1", "true")
    return (tokens[-1] in defined) == (len(nots) % 2 == 0)
