"""data/ of a scoring problem as a tree of test groups, with the scoring rule of each.

Source: "Test data groups" and "Scoring problems" of the ICPC/Kattis problem package format: 2025-09 (`Points`) and
legacy (`Grading`, the rules of its default grader). `judge.grading.scoring.scoring` reckons with them.
"""

from dataclasses import dataclass, field

from problems.translation import Sentence, gettext_noop

KATTIS, DOMJUDGE = "kattis", "domjudge"  # the dialects of the legacy format
DIALECTS = {
    KATTIS: gettext_noop("accept_score is for each test case, as on Kattis"),
    DOMJUDGE: gettext_noop("accept_score is for all of its folder's test cases together, as in DOMjudge"),
}


@dataclass(frozen=True, kw_only=True, slots=True)
class Dialect:
    """A reading of the points of a legacy package: `name` is KATTIS or DOMJUDGE, `why` half a sentence."""

    name: str
    why: Sentence
    is_certain: bool  # False: nothing told it


def other_dialect(name: str) -> str:
    """Return the opposite dialect."""
    return DOMJUDGE if name == KATTIS else KATTIS


@dataclass(frozen=True, kw_only=True, slots=True)
class Points:
    """The scoring rule of a group of the format 2025-09."""

    max_score: float | None = None  # None: unbounded
    aggregation: str = "sum"  # "pass-fail", "sum" or "min" over the parts
    requires: tuple[str, ...] = ()  # names of earlier cases and groups, without which this one is not run


@dataclass(frozen=True, kw_only=True, slots=True)
class Grading:
    """The rule for verdict and points of a legacy group, with inherited keys filled in."""

    on_reject: str = "break"  # or "continue": whether the parts after a rejected one are run
    accept_score: float = 1.0  # of an accepted case whose checker gives no score
    reject_score: float = 0.0
    least: float = float("-inf")  # the range of the group's points
    most: float = float("inf")
    verdict: str = "worst_error"  # or "first_error", "always_accept"
    score: str = "sum"  # or "avg", "min", "max"
    ignores_sample: bool = False  # only on data/ itself: samples are run, and change neither verdict nor points
    accepts_if_any: bool = False  # accepted if any part is
    # of DOMjudge's dialect, in which nothing is inherited
    is_whole: bool = False  # accept_score is given once, for all test cases of a folder without folders
    has_accept_score: bool = True  # the folder's own file gives it
    is_left_out: bool = False  # neither the folder nor one in it has a file: it makes no points


@dataclass(frozen=True, kw_only=True, slots=True)
class TestGroup:
    """One folder below data/. `parts`: sub-groups and names of test cases, in the order of judging."""

    __test__ = False

    name: str  # below data/: "", "sample", "secret", "secret/1-small"
    rule: Points | Grading
    parts: tuple["TestGroup | str", ...] = field(default=())


@dataclass(frozen=True, kw_only=True, slots=True)
class GroupPoints:
    """A group as the problem's page shows it."""

    name: str
    max_score: float | None  # None: unbounded
    cases: int
    requires: tuple[str, ...] = ()
