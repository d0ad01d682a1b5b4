"""How often the lines of a source run, as this reader may see it: counts, and the laws that they follow.

Of a hidden case contestants see the few lines that matter, with rounded counts of the case itself and none of the other
runs. A law says how a program depends on the size of any input; one with a long coefficient could tell what the
program read, and is left out.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from django.utils.translation import gettext as _, ngettext

from judge.grading.counted_work import CountedWork, Law
from judge.grading.explain.evidence.law_words import formula, meanings
from judge.models import TestCaseResult
from web.access.rounding import MOST_NAMES, Rounding
from web.presentation.units import count

_MOST_LINES = 12


@dataclass(frozen=True, kw_only=True, slots=True)
class CountedLineView:
    """One line: how often it runs on the case, None where nothing tells, and its law, "" if it has none, or if it runs
    equally often whatever the input.
    """

    line: int
    times: int | None
    law: str
    is_exact: bool  # the law

    @property
    def words(self) -> str:
        """The count beside the line: "n*(n-1)/2: 4,999,950,000 times"."""
        values = {"law": self.law if self.is_exact else f"≈ {self.law}", "times": count(self.times or 0)}
        if self.times is None:
            return _("%(law)s times") % values
        if not self.law:
            return ngettext("%(times)s time", "%(times)s times", self.times) % values
        return ngettext("%(law)s: %(times)s time", "%(law)s: %(times)s times", self.times) % values


@dataclass(frozen=True, kw_only=True, slots=True)
class CountedWorkView:
    """The counts of one case by line, the most frequent first. `remarks` explain them."""

    case_name: str
    case_number: int  # for people, from 1
    lines: tuple[CountedLineView, ...]
    remarks: tuple[str, ...]


def counted_work_view(result: TestCaseResult, rounding: Rounding, *, most: int = _MOST_LINES) -> CountedWorkView | None:
    """Return the counted work of a case, at most so many lines; None if it was not counted."""
    work = result.counted_work
    if work is None:
        return None
    most = most if rounding.is_exact else min(most, MOST_NAMES)
    lines, laws = [], list[Law]()
    for line in sorted(work.lines, key=lambda line: (-(line.expected or 0), -line.counts[-1], line.line)):
        law = line.law if line.law and (rounding.is_exact or line.law.is_short) else None
        if law is None and line.expected is None:
            continue
        laws += [law] if law else []
        lines.append(
            CountedLineView(
                line=line.line,
                times=None if line.expected is None else rounding.count(line.expected),
                law=formula(law) if law and law.sizes else "",
                is_exact=law is not None and law.is_exact,
            )
        )
        if len(lines) == most:
            break
    return CountedWorkView(
        case_name=result.name,
        case_number=result.position + 1,
        lines=tuple(lines),
        remarks=tuple(_remarks(work, laws)),
    )


def _remarks(work: CountedWork, laws: Sequence[Law]) -> Iterator[str]:
    runs = len(work.runs)
    words = ngettext(
        "Counted exactly in %(runs)s run that came to its end.",
        "Counted exactly in %(runs)s runs that came to their end.",
        runs,
    )
    yield words % {"runs": count(runs)}
    if not work.is_counted:
        yield _("The counts of this case, which was stopped, follow from the laws.")
    if meaning := meanings(tuple(dict.fromkeys(name for law in laws for name in law.sizes))):
        yield meaning
    if any(not law.is_exact for law in laws):
        yield _("A law with a rounded factor holds within some per cent.")
