"""Compare as CMS does for a task without a checker; an output validator: INPUT ANSWER FEEDBACKDIR < output.

This file is put into packages and runs there alone. Line by line the same words in the same order count, case and all;
white space at the end does not.
Source: "diff" in CMS's documentation of its task types, and what it does: only the space of ASCII is white.
"""

import sys
from pathlib import Path
from typing import BinaryIO

ACCEPTED, REJECTED = 42, 43


def find_difference(output: BinaryIO, answer: BinaryIO) -> str:
    """Return the first difference, as a sentence for the setter; "" if there is none."""
    number = 0
    while True:
        number += 1
        line, expected = output.readline(), answer.readline()
        if not line and not expected:
            return ""
        if line.split() != expected.split():
            return f"line {number}: expected {_shown(expected)}, got {_shown(line)}"


def _shown(line: bytes) -> str:
    return ascii(line[:60].decode("utf-8", "backslashreplace").strip()) if line else "the end"


if __name__ == "__main__":
    answer_name, feedback_name = sys.argv[2:4]
    with Path(answer_name).open("rb") as answer_file:
        difference = find_difference(sys.stdin.buffer, answer_file)
    if difference:
        Path(feedback_name, "judgemessage.txt").write_text(f"{difference}\n")
    sys.exit(REJECTED if difference else ACCEPTED)
