"""Read the number of test cases of a CMS task, and their points.

The format: `score_type` with its parameters and `n_input` in task.yaml, all three; else the file gen/GEN, in which a
line is a test case and a comment `ST: 30` begins a subtask that is worth 30; else n_input cases that share total_value.
Sum adds the cases up. GroupMin adds up the subtasks, of each its worst case; GroupMul multiplies what the cases of each
got, which is the same where a case is right or wrong and nothing between.

Source: "Score types" and "Italian import format" in CMS's documentation, and what its loader italy_yaml does.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import accumulate, pairwise
from typing import cast

from problems.convert.limited import asked
from problems.convert.source import Source
from problems.format.typed_mapping import Keys
from problems.format.yamlfile import read_text
from problems.package import PackageError
from problems.translation import Sentence

GEN = "gen/GEN"
_FILE = "task.yaml"
_MOST_CASES = 5_000
_MOST_POINTS = 1_000_000
_MOST_SUBTASKS = 1_000
_MOST_IN_SUBTASKS = 10_000  # a case may be in several
_GEN_BYTES = 4 * 1024 * 1024
_DIGITS = 9  # behind the point: a third of 100 is more than a package can say
_TOTAL = 100.0
_SCORE_TYPES = ("Sum", "GroupMin", "GroupMul")
_GROUP_KEYS = frozenset({"max_score", "testcases", "always_show_testcases"})  # the last: what contestants see
_POINTS = re.compile(r"[0-9]{1,7}", re.ASCII)
_MATCH = """
import json, re, sys
patterns, names = json.load(sys.stdin)
try:
    found = [[name for name in names if pattern.match(name)] for pattern in map(re.compile, patterns)]
except re.error as error:
    found = str(error)
json.dump(found, sys.stdout)
"""


@dataclass(frozen=True, kw_only=True, slots=True)
class Subtask:
    """Cases by number; the worst of them decides the points."""

    points: float
    cases: tuple[int, ...]


@dataclass(frozen=True, kw_only=True, slots=True)
class CmsScoring:
    """The cases 0 to `count` - 1, and the groups with points."""

    count: int
    subtasks: tuple[Subtask, ...]


def read_scoring(keys: Keys, source: Source, *, has_checker: bool) -> CmsScoring | None:
    """Return the scoring; None after an error, which is in the report."""
    number = keys.number("n_input", least=1, most=_MOST_CASES, whole=True)
    count = None if number is None else int(number)
    total = keys.number("total_value", least=0, most=_MOST_POINTS)
    kind, parameters = keys.text("score_type"), keys.any("score_type_parameters")
    if kind is not None and parameters is not None and count is not None:
        try:
            return _scoring(kind, parameters, count, has_checker=has_checker)
        except PackageError as error:
            source.report.add(error)
            return None
    for key in ("score_type", "score_type_parameters"):
        if keys.has(key):
            why = Sentence("counts only together with score_type, score_type_parameters and n_input: give all three")
            keys.error(key, why)
    subtasks: list[Subtask] = []
    if GEN in source.files:
        lines = _read_gen(source)
        if lines is None:
            return None
        counted, subtasks = lines
        if count is not None and count != counted:
            why = Sentence(
                "is %(count)s, but %(gen)s has %(counted)s test cases", count=count, gen=GEN, counted=counted
            )
            keys.error("n_input", why)
            return None
        count = counted
    if not count:
        why = Sentence("is missing: it says how many test cases there are") if count is None else Sentence("is 0")
        keys.error("n_input", why)
        return None
    share = (_TOTAL if total is None else total) / count
    return CmsScoring(count=count, subtasks=tuple(subtasks) or _each(count, share))


def _each(count: int, points: float) -> tuple[Subtask, ...]:
    return tuple(Subtask(points=round(points, _DIGITS), cases=(number,)) for number in range(count))


def _read_gen(source: Source) -> tuple[int, list[Subtask]] | None:
    """Return the number of cases and the subtasks of gen/GEN; None after an error."""
    starts: list[tuple[int, int]] = []  # points, first case
    count = 0
    text = read_text(source.files[GEN], GEN, _GEN_BYTES).replace("\r\n", "\n").replace("\r", "\n")
    for number, line in enumerate(text.split("\n"), 1):
        case, _, comment = line.partition("#")
        is_case, comment = bool(case.strip()), comment.strip()
        is_copy, is_subtask = comment.startswith("COPY:"), comment.startswith("ST:")
        if is_case + is_copy + is_subtask > 1:
            why = Sentence("is a test case and an order (ST:, COPY:) in one: use two lines")
            source.report.error(GEN, Sentence("line %(number)s", number=number), why)
            return None
        if is_subtask:
            points = comment.removeprefix("ST:").strip()
            if not _POINTS.fullmatch(points) or (count and not starts):
                why = Sentence("must be points, not %(points)r", points=points[:40])
                if count:
                    why = Sentence("must follow no test case that is in no subtask")
                source.report.error(GEN, Sentence("line %(number)s", number=number), why)
                return None
            starts.append((int(points), count))
        count += is_case or is_copy
    if count > _MOST_CASES or len(starts) > _MOST_SUBTASKS:
        most = {"cases": f"{_MOST_CASES:,}", "subtasks": f"{_MOST_SUBTASKS:,}"}
        source.report.error(GEN, "", Sentence("has more than %(cases)s test cases or %(subtasks)s subtasks", **most))
        return None
    ends = [*(first for _, first in starts[1:]), count]
    subtasks = [
        Subtask(points=points, cases=tuple(range(first, end)))
        for (points, first), end in zip(starts, ends, strict=False)
    ]
    if any(not subtask.cases for subtask in subtasks):
        source.report.error(GEN, "", Sentence("has a subtask without test cases"))
        return None
    return count, subtasks


def _scoring(kind: str, parameters: object, count: int, *, has_checker: bool) -> CmsScoring:
    if kind not in _SCORE_TYPES:
        names = {"kind": kind[:40], "kinds": ", ".join(_SCORE_TYPES)}
        why = Sentence("is %(kind)r, which Tally's points cannot say (it knows %(kinds)s)", **names)
        raise PackageError(_FILE, "score_type", why)
    if kind == "GroupMul" and has_checker:
        why = Sentence("is GroupMul: with a checker, parts of points are multiplied, which Tally's points cannot say")
        raise PackageError(_FILE, "score_type", why)
    if kind == "Sum":
        return CmsScoring(count=count, subtasks=_each(count, _points(parameters)))
    if not isinstance(parameters, list) or not 0 < len(parameters) <= _MOST_SUBTASKS:
        raise _wrong(Sentence("must be a list of subtasks, at most %(most)s", most=f"{_MOST_SUBTASKS:,}"))
    points, targets = [], []
    for item in parameters:
        if isinstance(item, dict) and not set(item) <= _GROUP_KEYS:
            unknown = min(map(str, set(item) - _GROUP_KEYS))
            raise _wrong(Sentence("has %(key)r, which is no known key", key=unknown[:40]))
        values = [item.get("max_score"), item.get("testcases")] if isinstance(item, dict) else item
        if not isinstance(values, list) or len(values) < 2:  # what follows is a name for people
            raise _wrong(Sentence("must hold subtasks like [30, 5]: points, and how many test cases"))
        points.append(_points(values[0]))
        targets.append(values[1])
    codes_by_subtask = _targets(targets, count)
    if any(not codes for codes in codes_by_subtask) or sum(map(len, codes_by_subtask)) > _MOST_IN_SUBTASKS:
        most = f"{_MOST_IN_SUBTASKS:,}"
        raise _wrong(Sentence("must give every subtask test cases, of %(most)s in all at most", most=most))
    subtasks = (
        Subtask(points=worth, cases=tuple(map(int, codes)))
        for worth, codes in zip(points, codes_by_subtask, strict=True)
    )
    return CmsScoring(count=count, subtasks=tuple(subtasks))


def _targets(targets: list[object], count: int) -> Sequence[Sequence[str]]:
    """Return the names of each subtask's cases, which are given by number, by regular expression, or one by one."""
    codes = sorted(f"{number:03}" for number in range(count))  # as text: 1000 comes before 101
    if all(isinstance(target, int) and not isinstance(target, bool) and target > 0 for target in targets):
        ends = list(accumulate(cast(list[int], targets), initial=0))
        if ends[-1] > count:
            values = {"given": ends[-1], "count": count}
            raise _wrong(Sentence("has %(given)s test cases in subtasks, of %(count)s in n_input", **values))
        return [codes[first:end] for first, end in pairwise(ends)]
    if all(isinstance(target, str) and len(target) <= _MOST_IN_SUBTASKS for target in targets):
        matches = asked(_MATCH, [targets, codes], _wrong(Sentence("has a pattern that takes too much time or memory")))
        if isinstance(matches, str):
            raise _wrong(Sentence("has no regular expression: %(error)s", error=matches[:100]))
        return cast(list[list[str]], matches)
    all_codes = set(codes)
    if all(isinstance(target, list) and all_codes.issuperset(map(str, target)) for target in targets):
        return [list(dict.fromkeys(map(str, target))) for target in targets if isinstance(target, list)]
    raise _wrong(Sentence("must name test cases in one way: how many, by a pattern, or as a list of texts like '007'"))


def _points(value: object) -> float:
    if isinstance(value, bool) or not isinstance(value, (int, float)) or not 0 <= value <= _MOST_POINTS:
        raise _wrong(Sentence("must have points from 0 to %(most)s", most=_MOST_POINTS))
    return round(float(value), _DIGITS)


def _wrong(why: Sentence) -> PackageError:
    return PackageError(_FILE, "score_type_parameters", why)
