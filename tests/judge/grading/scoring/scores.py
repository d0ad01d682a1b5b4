"""Test groups and judged cases for the tests of scoring, without packages and without runs."""

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from judge.grading.events import CaseJudged, Judged
from judge.grading.scoring.case_order import names_in_turn
from judge.grading.scoring.scoring import Scored, score
from judge.grading.verdicts import Verdict
from problems.groups.points import ScoringRules, names_below
from problems.package import Package, TestCase
from problems.testgroups import Grading, Points, TestGroup
from sandbox.types import IoProfile, Usage
from tests.judge.packages import make_package

Said = str | tuple[str, float]  # a verdict, perhaps with what the checker gave


def case(name: str, said: Said) -> CaseJudged:
    """A case that came to this: "AC", or ("AC", 0.75) with the checker's score."""
    verdict, given = (said, None) if isinstance(said, str) else said
    return CaseJudged(
        name=name,
        is_sample=name.startswith("sample/"),
        verdict=Verdict(verdict),
        usage=Usage(),
        io=IoProfile(),
        exit_code=0,
        signal=None,
        stdout_bytes=0,
        stderr_bytes=0,
        score=given,
    )


def judged_as(said: Mapping[str, Said]) -> Judged:
    """Cases by name."""
    return {name: case(name, word) for name, word in said.items()}


def group(name: str, rule: Points | Grading, *parts: TestGroup | str) -> TestGroup:
    """A group; a case is named without its folder."""
    named = [f"{name}/{part}" if isinstance(part, str) else part for part in parts]
    return TestGroup(name=name, rule=rule, parts=tuple(named))


def package_of(root: TestGroup, folder: Path) -> Package:
    """A package with these groups; its files are not there."""
    cases = tuple(
        TestCase(name=name, input=folder, answer=folder, is_sample=name.startswith("sample/"))
        for name in names_below(root)
    )
    return replace(make_package(folder, {}), test_cases=cases, groups=root)


def run(root: TestGroup, said: Mapping[str, Said], folder: Path = Path("/nowhere")) -> dict[str, CaseJudged]:
    """The cases that grading would run, in order, each with what is said of it; of others nothing has to be said."""
    judged: dict[str, CaseJudged] = {}
    for name in names_in_turn(package_of(root, folder), judged):
        judged[name] = case(name, said.get(name, "AC"))
    return judged


def points(root: TestGroup, said: Mapping[str, Said], policy: str = "groups", **rules: Any) -> Scored:
    """What these cases come to; whatever is not named is accepted, where it is run at all."""
    return score(ScoringRules(root=root, policy=policy, **rules), run(root, said))


def template(*scores: float, cases: int = 3) -> TestGroup:
    """The tree that nearly all contest packages have: groups of `cases` cases with these points."""
    groups = [
        group(
            f"secret/{number}",
            Grading(on_reject="break", accept_score=points, most=100, score="min"),
            *(f"{case}" for case in range(1, cases + 1)),
        )
        for number, points in enumerate(scores, start=1)
    ]
    secret = Grading(on_reject="continue", least=0, most=100, verdict="first_error", accepts_if_any=True)
    return TestGroup(
        name="",
        rule=Grading(on_reject="continue", least=0, most=100, ignores_sample=True),
        parts=(
            group("sample", Grading(on_reject="continue", accept_score=0, verdict="first_error"), "1"),
            TestGroup(name="secret", rule=secret, parts=tuple(groups)),
        ),
    )
