"""What a browser sends from the page of a new problem."""

from collections.abc import Mapping
from typing import Any

from django.core.files.uploadedfile import SimpleUploadedFile

STATEMENT = "Read $n$, print *twice* as much.\r\n\r\nNo more."
TYPED: Mapping[str, Any] = {
    "title": "Twice",
    "slug": "twice",
    "statement": STATEMENT,
    "form": "markdown",
    "language": "en",
    "sample_name": ["", "", ""],
    "sample_input": ["1\r\n", "2", ""],
    "sample_answer": ["2\r\n", "4", ""],
    "sample_count": "3",
    "time_limit": "1.5",
    "memory_mib": "64",
    "comparison": "case",
    "tolerance": "1e-6",
    "author": "Ada",
    "source": "",
    "license": "cc by",
    "when_clean": "ask",
}


def file(name: str, content: str | bytes = "x") -> SimpleUploadedFile:
    """One file that was chosen."""
    return SimpleUploadedFile(name, content.encode() if isinstance(content, str) else content)


def typed(**changes: Any) -> dict[str, Any]:
    """A whole problem, with these fields instead."""
    tests = [file("10.in", "10\n"), file("10.out", "20\n"), file("9.in", "9\n"), file("9.out", "18\n")]
    jury = {"jury_accepted": [file("ok.py", "print(2 * int(input()))\n")], "jury_wrong_answer": [file("no.cpp")]}
    return {**TYPED, "tests": tests, **jury, **changes}
