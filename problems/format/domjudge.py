"""Read DOMjudge's dialect: domjudge-problem.ini, .timelimit, and tags in submissions with expected results."""

import re
from dataclasses import dataclass
from pathlib import Path

from problems.format.limits import MOST_TIME_LIMIT_S, SECOND_MS
from problems.translation import Sentence

_TAG_BYTES = 256 * 1024  # of a source, in which a tag is looked for
_INI_LINE = re.compile(r"^[ \t]*([A-Za-z_-]+)[ \t]*=[ \t]*(?:'([^']*)'|\"([^\"]*)\"|([^;#\n]*))", re.MULTILINE)
_RESULTS = re.compile(rb"@EXPECTED_RESULTS@:[ \t]*([A-Za-z_, \t-]{1,200})", re.IGNORECASE)
_SCORE = re.compile(rb"@EXPECTED_SCORE@:[ \t]*([0-9]{1,9}(?:\.[0-9]{0,9})?)", re.IGNORECASE)
_VERDICTS = {
    "CORRECT": {"AC"}, "ACCEPTED": {"AC"}, "WRONG-ANSWER": {"WA"}, "NO-OUTPUT": {"WA"}, "TIMELIMIT": {"TLE"},
    "TIME-LIMIT-EXCEEDED": {"TLE"}, "RUN-ERROR": {"RE", "MLE"}, "RUN-TIME-ERROR": {"RE", "MLE"},
    "MEMORY-LIMIT": {"MLE"}, "OUTPUT-LIMIT": {"OLE"}, "COMPILER-ERROR": {"CE"},
}  # fmt: skip


@dataclass(frozen=True, kw_only=True, slots=True)
class Tags:
    """The tags of a submission. `problem`: why they are ignored, for the setter."""

    verdicts: frozenset[str] = frozenset()  # empty: no such tag
    score: float | None = None
    problem: Sentence | None = None


def seconds_to_ms(text: str) -> int | None:
    """Convert a time limit in seconds ("2" or "0.5") to milliseconds; None if it is no suitable number."""
    text = text.strip()
    if not re.fullmatch(r"[0-9]{1,6}(\.[0-9]{0,9})?", text, re.ASCII):
        return None
    seconds = float(text)
    return max(1, round(seconds * SECOND_MS)) if 0 < seconds <= MOST_TIME_LIMIT_S else None


def read_ini(text: str) -> dict[str, str]:
    """Return the keys and values of a domjudge-problem.ini; Tally uses `name` and `timelimit` (seconds)."""
    return {key: (single or double or plain).strip() for key, single, double, plain in _INI_LINE.findall(text)}


def read_tags(paths: list[Path]) -> Tags:
    """Return the tags in the files of one submission."""
    results, scores = set(), set()
    for path in paths:
        with path.open("rb") as file:
            source = file.read(_TAG_BYTES)
        tags = (match.decode("ascii").upper().replace("_", "-").split(",") for match in _RESULTS.findall(source))
        results |= {tuple(word for piece in tag if (word := piece.strip(" \t-"))) for tag in tags}
        scores |= {float(match) for match in _SCORE.findall(source)}
    if len(results) > 1 or len(scores) > 1:
        return Tags(problem=Sentence("has several expected results or scores in its tags: none of them counts"))
    words = next(iter(results), ())
    unknown = [word for word in words if word not in _VERDICTS]
    if unknown:
        why = Sentence(
            "has a tag @EXPECTED_RESULTS@ with the unknown result %(result)r: it does not count", result=unknown[0][:40]
        )
        return Tags(problem=why)
    verdicts = frozenset[str]().union(*(_VERDICTS[word] for word in words))
    return Tags(verdicts=verdicts, score=next(iter(scores), None))
