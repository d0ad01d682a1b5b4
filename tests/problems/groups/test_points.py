"""What a scoring problem's version says of its groups, for the page that people see before they send anything."""

from dataclasses import replace
from pathlib import Path

from problems.groups.points import rules_of, scoring_columns
from problems.loading.loading import load_package
from problems.testgroups import GroupPoints

LIBRARY = Path(__file__).resolve().parents[3] / "problems" / "library"


def test_a_scoring_problem_names_its_groups_with_what_they_can_give() -> None:
    package = load_package(LIBRARY / "beststretch")
    assert scoring_columns(package) == {
        "is_scoring": True,
        "max_score": 100,
        "groups": (
            GroupPoints(name="secret/1-no-losses", max_score=10, cases=3),
            GroupPoints(name="secret/2-short", max_score=30, cases=4),
            GroupPoints(name="secret/3-long", max_score=60, cases=3, requires=("secret/2-short",)),
        ),
    }


def test_the_policy_of_the_settings_reaches_the_rules() -> None:
    package = load_package(LIBRARY / "beststretch")
    chosen = replace(package, limits=replace(package.limits, score_policy="accepted"))
    policies = [rules.policy for each in (package, chosen) if (rules := rules_of(each))]
    assert policies == ["groups", "accepted"]


def test_a_pass_fail_problem_has_no_points() -> None:
    package = load_package(LIBRARY / "sumoftwo")
    assert rules_of(package) is None
    assert scoring_columns(package) == {"is_scoring": False, "max_score": None, "groups": ()}
