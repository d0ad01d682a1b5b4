"""Read a validator's feedback directory: messages, points, and the input of the next pass.

It may write anything there; the rest is nobody's business but its own. A score is one decimal number in ASCII, finite.
Of the format 2025-09: not negative, only beside an acceptance, never with a multiplier, and looked at on no sample;
anything else is a judge error. Of the legacy format: ignored beside a rejection, which real packages do.

Source: "Reporting additional feedback", "Multi-pass validation" and "Scoring test cases" in the ICPC/Kattis problem
package format.
"""

import math
import re
from pathlib import Path

from judge.grading.compiling.compilation import readable
from judge.grading.events import EXCERPT_BYTES
from problems.package import Package
from problems.translation import Sentence, SentenceError
from sandbox.jail.protocol import largest_file_bytes
from sandbox.types import Collect, Limits

FEEDBACK = "feedback"
NEXT_INPUT = "nextpass.in"
_JUDGE, _TEAM, _SCORE, _MULTIPLIER = "judgemessage.txt", "teammessage.txt", "score.txt", "score_multiplier.txt"
_NUMBER = re.compile(rb"[+-]?(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][+-]?[0-9]+)?")
_NUMBER_BYTES = 200
_MESSAGE_BYTES = 16 * 1024
_WHITE = b" \t\n\v\f\r"


class FeedbackError(SentenceError):
    """An error in the feedback: `why` is the end of a sentence for the setter."""


class Feedback:
    """The feedback of the last run of a package's validator, collected to its own `folder`."""

    def __init__(self, package: Package, folder: Path) -> None:
        folder.mkdir()
        self._folder = folder
        self._is_legacy = package.is_legacy
        names = [_JUDGE, _TEAM]
        if package.groups is not None:
            names += [_SCORE] if package.is_legacy else [_SCORE, _MULTIPLIER]
        if package.most_passes > 1:
            names.append(NEXT_INPUT)
        self._names = tuple(names)

    def collect(self, limits: Limits) -> tuple[Collect, ...]:
        """Remove the last run's feedback and return what to collect from the next. No file can exceed the cap."""
        for name in self._names:
            (self._folder / name).unlink(missing_ok=True)
        most = largest_file_bytes(limits)
        return tuple(
            Collect(name=f"{FEEDBACK}/{name}", target=self._folder / name, max_bytes=most) for name in self._names
        )

    def judge_message(self) -> str:
        """Return the message for staff."""
        return read_words(self._folder / _JUDGE)

    def team_message(self) -> str:
        """Return the message for the contestant."""
        return read_words(self._folder / _TEAM)

    def next_input(self, *, is_accepted: bool) -> Path | None:
        """Return the input of the next pass; None after the last one. Raises FeedbackError beside a rejection."""
        path = self._folder / NEXT_INPUT
        if not path.exists():
            return None
        if not is_accepted:
            why = Sentence("left %(file)s beside a rejection, after which there is no pass more", file=NEXT_INPUT)
            raise FeedbackError(why)
        return path

    def points(self, *, is_accepted: bool, is_sample: bool) -> tuple[float | None, float | None]:
        """Return score and multiplier, None where missing. Raises FeedbackError."""
        present = [name for name in (_SCORE, _MULTIPLIER) if (self._folder / name).exists()]
        if not present or (is_sample and not self._is_legacy):
            return None, None
        if not is_accepted:
            if self._is_legacy:
                return None, None
            raise FeedbackError(Sentence("left %(file)s beside a rejection, which has no points", file=present[0]))
        if len(present) > 1:
            raise FeedbackError(Sentence("left both score.txt and score_multiplier.txt: one of them at most"))
        name = present[0]
        content = read_excerpt(self._folder / name, _NUMBER_BYTES + 1).strip(_WHITE)
        number = float(content) if len(content) <= _NUMBER_BYTES and _NUMBER.fullmatch(content) else math.nan
        if not math.isfinite(number):
            words = {"file": name, "content": repr(readable(content[:40]))}
            raise FeedbackError(Sentence("left a %(file)s with %(content)s, which is no decimal number", **words))
        words = {"file": name, "number": f"{number:g}"}
        if number < 0 and not self._is_legacy:
            raise FeedbackError(Sentence("left a %(file)s with %(number)s: points are never below 0", **words))
        if name == _MULTIPLIER and number > 1:
            raise FeedbackError(Sentence("left a %(file)s with %(number)s: it must lie between 0 and 1", **words))
        return (number, None) if name == _SCORE else (None, number)


def read_words(path: Path) -> str:
    """Return the beginning of a text for people; nothing for a missing file."""
    return readable(read_excerpt(path, _MESSAGE_BYTES)).strip() if path.exists() else ""


def read_excerpt(path: Path | None, max_bytes: int = EXCERPT_BYTES) -> bytes:
    """Return the first bytes of a file, for people; none for a missing file."""
    if path is None:
        return b""
    with path.open("rb") as file:
        return file.read(max_bytes)
