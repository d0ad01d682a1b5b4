"""data/ of a scoring problem as a tree of test groups, with how each makes points of its parts.

Source: "Test data groups" and "Scoring problems" of the ICPC/Kattis problem package format: 2025-09 (`Points`) and
legacy (`Grading`, the rules of its default grader). `judge.scoring` reckons with them.
"""

from dataclasses import dataclass, field


@dataclass(frozen=True, kw_only=True, slots=True)
class Points:
    """How a group of the format 2025-09 makes points."""

    max_score: float | None = None  # None: unbounded
    aggregation: str = "sum"  # "pass-fail", "sum" or "min" over the parts
    requires: tuple[str, ...] = ()  # names of earlier cases and groups, without which this one is not run


@dataclass(frozen=True, kw_only=True, slots=True)
class Grading:
    """How a group of the legacy format makes a verdict and points, inherited keys filled in."""

    on_reject: str = "break"  # or "continue": whether the parts after a rejected one are run
    accept_score: float = 1.0  # of an accepted case whose checker gives no score
    reject_score: float = 0.0
    least: float = float("-inf")  # the range of the group's points
    most: float = float("inf")
    verdict: str = "worst_error"  # or "first_error", "always_accept"
    score: str = "sum"  # or "avg", "min", "max"
    ignores_sample: bool = False  # only on data/ itself: samples are run, and change neither verdict nor points
    accepts_if_any: bool = False  # accepted if any part is


@dataclass(frozen=True, kw_only=True, slots=True)
class TestGroup:
    """One folder below data/. `parts`: sub-groups, and names of test cases, in the order in which they are judged."""

    __test__ = False

    name: str  # below data/: "", "sample", "secret", "secret/1-small"
    rule: Points | Grading
    parts: tuple["TestGroup | str", ...] = field(default=())
