"""DMOJ's own checkers as an output validator: INPUT ANSWER FEEDBACKDIR NAME [OPTIONS] < output.

This file is put into packages and runs there alone. NAME: standard, easy, sorted, rstripped, linecount.
Source: "Custom checkers" in DMOJ's documentation of its problem format.
"""

import re
import sys
from collections import Counter
from pathlib import Path

ACCEPTED, REJECTED = 42, 43


def standard(output: bytes, answer: bytes) -> bool:
    """Return whether the words on each line are the same; lines without words do not count."""
    return _words_by_line(output) == _words_by_line(answer)


def easy(output: bytes, answer: bytes) -> bool:
    """Return whether the same characters occur equally often, in any order; case and white space do not count."""
    return _characters(output) == _characters(answer)


def sorted_lines(output: bytes, answer: bytes) -> bool:
    """Return whether the lines are the same in any order; empty lines do not count."""
    return sorted(line.split() for line in _lines(output)) == sorted(line.split() for line in _lines(answer))


def sorted_words(output: bytes, answer: bytes) -> bool:
    """Return whether the words are the same in any order."""
    return sorted(output.split()) == sorted(answer.split())


def rstripped(output: bytes, answer: bytes) -> bool:
    """Return whether the lines are the same except for white space at their ends."""
    return [line.rstrip() for line in _all_lines(output)] == [line.rstrip() for line in _all_lines(answer)]


def rstripped_full_lines(output: bytes, answer: bytes) -> bool:
    """Return whether the lines are the same except for white space at their ends and empty lines."""
    return [line.rstrip() for line in _lines(output)] == [line.rstrip() for line in _lines(answer)]


def right_lines(output: bytes, answer: bytes) -> tuple[int, int]:
    """Return the number of right lines, and the number of lines. No line is right if there are too many."""
    lines, expected = _lines(output), _lines(answer)
    if len(lines) > len(expected):
        return 0, max(1, len(expected))
    if not expected:
        return 1, 1
    return sum(line.strip() == other.strip() for line, other in zip(lines, expected, strict=False)), len(expected)


CHECKERS = {
    "standard": standard,
    "easy": easy,
    "sorted": sorted_lines,
    "unordered": sorted_words,
    "rstripped": rstripped,
    "rstripped-full-lines": rstripped_full_lines,
}


def judge(name: str, options: list[str], output: bytes, answer: bytes, feedback: Path) -> int:
    """Return the exit code. For linecount the option is the case's worth, and score.txt gets the earned part of it."""
    if name != "linecount":
        return ACCEPTED if CHECKERS[name](output, answer) else REJECTED
    right, of = right_lines(output, answer)
    (feedback / "judgemessage.txt").write_text(f"{right} of {of} lines are right\n")
    if options and 0 < right < of:
        (feedback / "score.txt").write_text(f"{float(options[0]) * right / of:.9f}\n")
        return ACCEPTED
    return ACCEPTED if right == of else REJECTED


def _all_lines(text: bytes) -> list[bytes]:
    return re.split(rb"[\r\n]", text)


def _lines(text: bytes) -> list[bytes]:
    return [line for line in _all_lines(text) if line]


def _words_by_line(text: bytes) -> list[list[bytes]]:
    return [words for line in _lines(text) if (words := line.split())]


def _characters(text: bytes) -> Counter[int]:
    return Counter(b"".join(text.lower().split()))


if __name__ == "__main__":
    _, _, answer_name, feedback_name, checker, *rest = sys.argv
    sys.exit(judge(checker, rest, sys.stdin.buffer.read(), Path(answer_name).read_bytes(), Path(feedback_name)))
