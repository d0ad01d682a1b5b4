"""Decide which test cases run, in which order, and why others do not.

All samples, then the secret cases. Of a pass-fail problem a wrong answer or a crash does not stop it, since the numbers
of the other cases are worth having; the second secret case over a time limit does, because each one more would cost
seconds and say the same.

Of a scoring problem the groups decide. A legacy one with `on_reject: break` ends with its first part that is not
accepted. One of the format 2025-09 may need others; and where a failure costs all its points anyway (pass-fail, min),
its second case over a time limit ends it.
"""

from collections.abc import Iterator
from dataclasses import dataclass

from judge.grading.events import Judged
from judge.grading.scoring.scoring import is_accepted, result_of
from judge.grading.verdicts import Verdict
from problems.groups.points import groups_of, is_sample_group, names_below
from problems.package import Package
from problems.testgroups import Grading, Points, TestGroup
from problems.translation import Sentence

_ENOUGH_TIME_LIMITS = 2  # cases over a time limit, after which no more is run of what cannot be saved


@dataclass(frozen=True, kw_only=True, slots=True)
class LeftOut:
    """Test cases that do not run, and the reason, which names only groups."""

    names: tuple[str, ...]
    because: Sentence


def names_in_turn(package: Package, judged: Judged, *, runs_all: bool = False) -> Iterator[str]:
    """Yield the cases to run, in order. Each must be in `judged` before the next one is requested.

    `runs_all`: time limits end nothing early. Raises PackageError for points that the package forbids.
    """
    return (step for step in _steps(package, judged, runs_all) if isinstance(step, str))


def left_out(package: Package, judged: Judged) -> tuple[LeftOut, ...]:
    """Return the cases that did not run, by reason."""
    groups = []
    for step in _steps(package, judged, runs_all=False):
        if isinstance(step, LeftOut):
            names = tuple(name for name in step.names if name not in judged)
            groups += [LeftOut(names=names, because=step.because)] if names else []
        elif step not in judged:  # a judge error ended it all
            break
    return tuple(groups)


def _steps(package: Package, judged: Judged, runs_all: bool) -> Iterator[str | LeftOut]:
    groups = groups_of(package)
    if groups is not None:
        yield from _walk(groups, groups, judged, runs_all)
        return
    too_slow = 0
    for number, case in enumerate(package.test_cases, start=1):
        yield case.name
        too_slow += not case.is_sample and is_too_slow(case.name, judged)
        if too_slow >= _ENOUGH_TIME_LIMITS and not runs_all:
            names = tuple(case.name for case in package.test_cases[number:])
            yield LeftOut(names=names, because=Sentence("%(number)s had already been too slow", number=too_slow))
            return


def _walk(group: TestGroup, root: TestGroup, judged: Judged, runs_all: bool) -> Iterator[str | LeftOut]:
    for number, part in enumerate(group.parts, start=1):
        if isinstance(part, str):
            yield part
        elif missing := _unmet(part, root, judged):
            because = Sentence("%(group)s needs %(missing)s, which is not accepted", group=part.name, missing=missing)
            yield LeftOut(names=tuple(names_below(part)), because=because)
        else:
            yield from _walk(part, root, judged, runs_all)
        over = _why_over(group, part, judged, runs_all)
        if over:
            rest = TestGroup(name=group.name, rule=group.rule, parts=group.parts[number:])
            yield LeftOut(names=tuple(names_below(rest)), because=over)
            return


def _unmet(group: TestGroup, root: TestGroup, judged: Judged) -> str:
    """Return the first required group or case that is not accepted; "" if there is none."""
    if not isinstance(group.rule, Points):
        return ""
    names = tuple(names_below(root))
    for required in group.rule.requires:
        parts = [name for name in names if name == required or name.startswith(f"{required}/")]
        if not all(is_accepted(name, judged) for name in parts):
            return required
    return ""


def _why_over(group: TestGroup, part: TestGroup | str, judged: Judged, runs_all: bool) -> Sentence | None:
    """Return why nothing after this part of the group runs; None if it does."""
    where = group.name or Sentence("the test data")
    if isinstance(group.rule, Grading):
        if group.rule.on_reject != "break" or (group.rule.ignores_sample and is_sample_group(part)):
            return None
        result = result_of(part, group.rule, judged)
        is_rejected = result is not None and result.verdict is not Verdict.AC
        why = Sentence("%(group)s ends with the first part of it that is not accepted", group=where)
        return why if is_rejected else None
    if runs_all or group.rule.aggregation == "sum" or is_sample_group(group):
        return None
    too_slow = sum(is_too_slow(name, judged) for name in names_below(group))
    why = Sentence("two test cases of %(group)s had already been too slow", group=where)
    return why if too_slow >= _ENOUGH_TIME_LIMITS else None


def is_too_slow(name: str, judged: Judged) -> bool:
    """Return whether the case ran and exceeded a time limit."""
    return name in judged and judged[name].verdict is Verdict.TLE
