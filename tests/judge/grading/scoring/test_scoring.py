"""Points of test groups: a table of cases with the numbers reckoned by hand, then what must hold of all groups."""

import json
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given, strategies as st

from judge.grading.scoring.scoring import Scored, points_of, score
from judge.grading.verdicts import Verdict
from problems.groups.points import ScoringRules, names_below
from problems.jsonvalues import to_json
from problems.package import PackageError
from problems.testgroups import Grading, Points, TestGroup
from tests.judge.grading.scoring.scores import Said, case, group, judged_as, points, run, template

GO_ON = Grading(on_reject="continue")


def secret(rule: Points, *groups: TestGroup, sample: str = "1") -> TestGroup:
    """data/ of the format 2025-09 with these groups in secret."""
    return TestGroup(
        name="",
        rule=Points(),
        parts=(group("sample", Points(), sample), TestGroup(name="secret", rule=rule, parts=groups)),
    )


def graded(rule: Grading, *parts: TestGroup | str) -> TestGroup:
    """data/ of the legacy format with one sample that is ignored, and these parts of secret."""
    root = Grading(on_reject="continue", ignores_sample=True)
    return TestGroup(name="", rule=root, parts=(group("sample", GO_ON, "1"), group("secret", rule, *parts)))


def outcome(found: Scored) -> tuple[str, float, float | None]:
    return found.verdict.value, found.score, found.max_score


SUM_OF_THREE = group("secret/a", Points(max_score=10), "1", "2", "3")
ALL_OR_NOTHING = group("secret/b", Points(max_score=60, aggregation="pass-fail"), "1", "2")
LEAST = group("secret/c", Points(max_score=30, aggregation="min"), "1", "2")
HUNDRED = secret(Points(max_score=100), SUM_OF_THREE, ALL_OR_NOTHING, LEAST)
UNBOUNDED = secret(Points(max_score=None), group("secret/a", Points(max_score=None), "1", "2"))
FLAT = TestGroup(name="", rule=Points(), parts=(group("secret", Points(max_score=100), "1", "2", "3", "4"),))
LEAST_OF_ALL = secret(Points(max_score=60, aggregation="min"), LEAST, ALL_OR_NOTHING)
NONE_BUT_ALL = secret(
    Points(max_score=100, aggregation="pass-fail"), group("secret/a", Points(max_score=1, aggregation="pass-fail"), "1")
)


@pytest.mark.parametrize(
    ("root", "said", "expected"),
    [
        (HUNDRED, {}, ("AC", 100, 100)),
        (HUNDRED, {"secret/a/2": "WA"}, ("WA", 2 * 10 / 3 + 60 + 30, 100)),
        (HUNDRED, {"secret/b/2": "RE"}, ("RE", 40, 100)),
        (HUNDRED, {"secret/c/1": "TLE"}, ("TLE", 70, 100)),
        (HUNDRED, {"secret/b/1": "WA", "secret/a/3": "MLE"}, ("MLE", 2 * 10 / 3 + 30, 100)),
        (HUNDRED, {"secret/a/1": ("AC", 1.5), "secret/c/2": ("AC", 12)}, ("AC", 1.5 + 2 * 10 / 3 + 60 + 12, 100)),
        (HUNDRED, {"sample/1": "WA"}, ("AC", 100, 100)),  # samples contribute nothing
        (HUNDRED, {"sample/1": ("AC", 5)}, ("AC", 100, 100)),  # and what is given there is ignored
        (FLAT, {"secret/2": "WA", "secret/3": ("AC", 0.5)}, ("WA", 50.5, 100)),
        (UNBOUNDED, {"secret/a/1": ("AC", 1234.5), "secret/a/2": ("AC", 0.5)}, ("AC", 1235, None)),
        (UNBOUNDED, {"secret/a/1": ("AC", 7), "secret/a/2": "WA"}, ("WA", 7, None)),
        (LEAST_OF_ALL, {}, ("AC", 30, 60)),
        (LEAST_OF_ALL, {"secret/b/1": "WA"}, ("WA", 0, 60)),
        (NONE_BUT_ALL, {}, ("AC", 100, 100)),
        (NONE_BUT_ALL, {"secret/a/1": "OLE"}, ("OLE", 0, 100)),
    ],
)
def test_the_points_of_2025_09(root: TestGroup, said: dict[str, Said], expected: tuple[str, float, float]) -> None:
    verdict, total, most = outcome(points(root, said))
    assert (verdict, most) == (expected[0], expected[2])
    assert total == pytest.approx(expected[1], abs=1e-9)


def test_ten_tenths_are_one() -> None:
    tenths = group("secret", Points(max_score=1), *map(str, range(10)))
    root = TestGroup(name="", rule=Points(), parts=(tenths,))
    assert points(root, {f"secret/{number}": ("AC", 0.1) for number in range(10)}).score == 1.0
    sevenths = group("secret", Points(max_score=100), *map(str, range(7)))
    assert points(TestGroup(name="", rule=Points(), parts=(sevenths,)), {}).score == 100.0


def test_a_checker_may_round_what_it_gives() -> None:
    thirds = TestGroup(name="", rule=Points(), parts=(group("secret", Points(max_score=100), "1", "2", "3"),))
    given: dict[str, Said] = {f"secret/{number}": ("AC", 33.333333333333336) for number in (1, 2, 3)}
    assert points(thirds, given).score == 100.0
    tenths = group("secret/a", Points(max_score=0.1), "1"), group("secret/b", Points(max_score=0.2), "1")
    root = secret(Points(max_score=0.3), *tenths)
    assert points(root, {"secret/a/1": ("AC", 0.1 + 1e-12), "secret/b/1": ("AC", 0.2)}).score == 0.3
    with pytest.raises(PackageError, match="more than the"):
        points(thirds, {"secret/1": ("AC", 33.3334)})
    narrow = graded(replace(GO_ON, least=0.7, most=1), "1", "2", "3")
    assert points(narrow, {f"secret/{number}": ("AC", 0.333333333333334) for number in (1, 2, 3)}).score == 1.0
    fifths: dict[str, Said] = {"secret/1": ("AC", 0.23333333333333), "secret/2": ("AC", 0.23333333333333)}
    assert points(narrow, {**fifths, "secret/3": ("AC", 0.23333333333333)}).score == 0.7
    tenth = graded(replace(GO_ON, accept_score=0.1, least=0.1, most=0.3), "1")
    assert points(tenth, {}).score == 0.1


def test_a_multiplier_gives_that_part_of_what_the_case_can_give() -> None:
    judged = judged_as(dict.fromkeys(names_below(HUNDRED), "AC"))
    judged = {
        **judged,
        "secret/a/1": replace(case("secret/a/1", "AC"), multiplier=0.5),
        "secret/c/1": replace(case("secret/c/1", "AC"), multiplier=0.25),
    }
    found = score(ScoringRules(root=HUNDRED), judged)
    assert [each.score for each in found.groups] == [pytest.approx(5 / 3 + 20 / 3), 60, 7.5]


@pytest.mark.parametrize(
    ("name", "changes", "why"),
    [
        ("secret/a/1", {"score": 3.5}, "gives 3.5 points, more than the 3.33333 of this test case"),
        ("secret/a/1", {"multiplier": 1.01}, "it must be at most 1"),
        ("secret/a/1", {"score": 1.0, "multiplier": 0.5}, "both score.txt and score_multiplier.txt"),
        ("secret/a/1", {"score": -1.0}, "not negative, not -1"),
        ("secret/a/1", {"score": float("nan")}, "finite number"),
        ("secret/a/1", {"multiplier": float("inf")}, "finite number"),
        ("secret/b/1", {"score": 1.0}, "of a group that is pass-fail"),
        ("secret/b/1", {"verdict": Verdict.WA, "score": 0.0}, "an output that it does not accept"),
    ],
)
def test_points_that_2025_09_forbids_are_the_packages_fault(name: str, changes: dict[str, object], why: str) -> None:
    judged = judged_as(dict.fromkeys(names_below(HUNDRED), "AC"))
    wrong = replace(case(name, "AC"), **changes)  # type: ignore[arg-type]
    with pytest.raises(PackageError, match=why) as error:
        score(ScoringRules(root=HUNDRED), {**judged, name: wrong})
    assert error.value.key == name
    json.dumps(to_json(error.value.record), allow_nan=False)  # PostgreSQL takes no NaN


def test_an_unbounded_case_without_points_is_the_packages_fault() -> None:
    with pytest.raises(PackageError, match=r"must write score\.txt"):
        points(UNBOUNDED, {"secret/a/1": ("AC", 1)})
    halves = secret(
        Points(max_score=99), group("secret/a", Points(max_score=50), "1"), group("secret/b", Points(max_score=50), "1")
    )
    with pytest.raises(PackageError, match="100 points are more than the 99"):
        points(halves, {})


NEEDY = secret(
    Points(max_score=100),
    group("secret/1", Points(max_score=40, aggregation="pass-fail"), "1", "2"),
    group("secret/2", Points(max_score=60, aggregation="pass-fail", requires=("secret/1",)), "1", "2"),
)


def test_a_group_that_needs_a_failed_one_is_not_run_and_gives_nothing() -> None:
    assert list(run(NEEDY, {"secret/1/1": "WA"})) == ["sample/1", "secret/1/1", "secret/1/2"]
    found = points(NEEDY, {"secret/1/1": "WA"})
    assert outcome(found) == ("WA", 0, 100)
    assert [(each.verdict, each.score, each.cases, each.accepted) for each in found.groups] == [
        (Verdict.WA, 0, 2, 1),
        (None, 0, 2, 0),
    ]
    assert outcome(points(NEEDY, {})) == ("AC", 100, 100)


def test_secret_may_need_the_samples() -> None:
    root = secret(Points(max_score=100, requires=("sample",)), SUM_OF_THREE)
    assert list(run(root, {"sample/1": "RE"})) == ["sample/1"]
    assert outcome(points(root, {"sample/1": "RE"})) == ("RE", 0, 100)
    assert outcome(points(root, {})) == ("AC", 10, 100)


def test_two_time_limits_end_a_group_that_is_lost_and_no_other() -> None:
    lost = group("secret/1", Points(max_score=50, aggregation="min"), "1", "2", "3", "4")
    summed = group("secret/2", Points(max_score=50), "1", "2", "3", "4")
    root = secret(Points(max_score=100), lost, summed)
    said = dict.fromkeys(names_below(root), "TLE")
    assert list(run(root, said)) == ["sample/1", "secret/1/1", "secret/1/2", *(f"secret/2/{n}" for n in "1234")]
    wrong = dict.fromkeys(names_below(root), "WA")
    assert len(run(root, wrong)) == 9


@pytest.mark.parametrize(
    ("root", "said", "expected"),
    [
        (template(20, 30, 50), {}, ("AC", 100, 100)),
        (template(20, 30, 50), {"secret/2/2": "WA"}, ("AC", 70, 100)),  # accept_if_any_accepted
        (template(20, 30, 50), {"secret/1/1": "TLE", "secret/2/1": "WA", "secret/3/3": "RE"}, ("TLE", 0, 100)),
        (template(20, 30, 50), {"sample/1": "WA"}, ("AC", 100, 100)),  # ignore_sample
        (graded(replace(GO_ON, accept_score=2), "1", "2", "3"), {"secret/2": "WA"}, ("WA", 4, 6)),
        (graded(replace(GO_ON, accept_score=2, reject_score=-1), "1", "2"), {"secret/2": "WA"}, ("WA", 1, 4)),
        (graded(replace(GO_ON, score="avg"), "1", "2", "3", "4"), {"secret/2": "WA"}, ("WA", 0.75, 1)),
        (graded(replace(GO_ON, score="max", accept_score=5), "1", "2"), {"secret/2": "WA"}, ("WA", 5, 5)),
        (graded(replace(GO_ON, score="min", accept_score=5), "1", "2"), {"secret/2": "WA"}, ("WA", 0, 5)),
        (graded(GO_ON, "1", "2", "3"), {"secret/1": "WA", "secret/2": "OLE", "secret/3": "RE"}, ("RE", 0, 3)),
        (graded(GO_ON, "1", "2", "3"), {"secret/1": "WA", "secret/2": "OLE", "secret/3": "TLE"}, ("TLE", 0, 3)),
        (graded(GO_ON, "1", "2"), {"secret/1": "RE", "secret/2": "MLE"}, ("RE", 0, 2)),
        (
            graded(replace(GO_ON, verdict="first_error"), "1", "2", "3"),
            {"secret/2": "WA", "secret/3": "RE"},
            ("WA", 1, 3),
        ),
        (graded(replace(GO_ON, verdict="always_accept"), "1", "2"), {"secret/1": "RE"}, ("AC", 1, 2)),
        (graded(replace(GO_ON, accepts_if_any=True), "1", "2"), {"secret/1": "RE"}, ("AC", 1, 2)),
        (graded(Grading(), "1", "2", "3"), {"secret/2": "WA"}, ("WA", 1, 3)),  # breaks: 3 is not run
        (graded(Grading(score="avg"), "1", "2", "3", "4"), {"secret/2": "WA"}, ("WA", 0.25, 1)),  # 3 and 4 give nothing
        # 3 and 4 are left out where the group is accepted all the same
        (graded(Grading(score="avg", accepts_if_any=True), "1", "2", "3", "4"), {"secret/2": "WA"}, ("AC", 0.5, 1)),
        (
            graded(Grading(score="min", accept_score=5, reject_score=2, verdict="always_accept"), "1", "2", "3"),
            {"secret/2": "WA"},
            ("AC", 2, 5),
        ),
        (
            graded(Grading(score="max", accept_score=-1, reject_score=-3, verdict="always_accept"), "1", "2"),
            {"secret/1": "WA"},
            ("AC", -3, -1),
        ),
        (graded(Grading(), "1", "2"), {"secret/1": ("AC", 0.25)}, ("AC", 1.25, 2)),
        (graded(GO_ON, "1", "2"), {"secret/1": ("WA", 9)}, ("WA", 1, 2)),  # score.txt beside a rejection is ignored
    ],
)
def test_the_points_of_legacy(root: TestGroup, said: dict[str, Said], expected: tuple[str, float, float]) -> None:
    assert outcome(points(root, said)) == expected


def test_a_broken_off_group_is_not_run_on() -> None:
    ran = run(template(20, 80), {"secret/1/2": "WA"})
    assert list(ran) == ["sample/1", "secret/1/1", "secret/1/2", "secret/2/1", "secret/2/2", "secret/2/3"]
    found = points(template(20, 80), {"secret/1/2": "WA"})
    assert [(each.name, each.score, each.max_score, each.cases, each.accepted) for each in found.groups] == [
        ("secret/1", 0, 20, 3, 1),
        ("secret/2", 80, 80, 3, 3),
    ]


def test_a_rejected_sample_ends_everything_where_samples_count() -> None:
    root = TestGroup(name="", rule=Grading(), parts=(group("sample", GO_ON, "1"), group("secret", GO_ON, "1")))
    assert list(run(root, {"sample/1": "WA"})) == ["sample/1"]
    found = points(root, {"sample/1": "WA"})
    assert outcome(found) == ("WA", 0, 2)
    assert [(each.name, each.verdict) for each in found.groups] == [("sample", Verdict.WA), ("secret", None)]


def test_points_out_of_range_are_the_packages_fault() -> None:
    narrow = graded(replace(GO_ON, least=0, most=2), "1", "2", "3")
    with pytest.raises(PackageError, match="3 points are outside 0 to 2") as error:
        points(narrow, {})
    assert (error.value.file, error.value.key) == ("data/secret/testdata.yaml", "range")
    assert points(narrow, {"secret/1": "WA"}).score == 2
    needs_one = graded(replace(GO_ON, least=1, most=9), "1")
    assert points(needs_one, {"secret/1": "WA"}).score == 0  # points of a rejected group are no fault
    with pytest.raises(PackageError, match="outside 1 to 9"):
        points(needs_one, {"secret/1": ("AC", 0.5)})
    with pytest.raises(PackageError, match="finite") as error:
        points(graded(GO_ON, "1"), {"secret/1": ("AC", float("nan"))})
    json.dumps(to_json(error.value.record), allow_nan=False)


def whole(name: str, accept_score: float, *parts: TestGroup | str, **rule: Any) -> TestGroup:
    """A group in DOMjudge's dialect."""
    return group(name, Grading(on_reject="continue", accept_score=accept_score, is_whole=True, **rule), *parts)


IN_DOMJUDGE = TestGroup(
    name="",
    rule=Grading(on_reject="continue", accept_score=0, is_whole=True),
    parts=(
        whole("sample", 0, "1", is_left_out=True),
        whole(
            "secret",
            0,
            whole("secret/basic", 20, "1", "2"),
            whole(
                "secret/speed",
                0,
                whole("secret/speed/a", 15, "1", "2"),
                whole("secret/speed/b", 45, "1"),
                whole("secret/speed/spare", 0, "1", is_left_out=True),
                score="avg",
            ),
        ),
    ),
)


@pytest.mark.parametrize(
    ("said", "expected"),
    [
        ({}, ("AC", 50, 50)),
        ({"sample/1": "WA"}, ("WA", 50, 50)),
        ({"secret/basic/2": "TLE"}, ("TLE", 30, 50)),
        ({"secret/speed/a/1": "WA"}, ("WA", 42.5, 50)),
        ({"secret/basic/1": "WA", "secret/speed/b/1": "RE"}, ("RE", 7.5, 50)),
        ({"secret/speed/spare/1": "WA"}, ("WA", 50, 50)),
    ],
)
def test_in_domjudges_dialect_a_folder_has_its_score_once(
    said: dict[str, Said], expected: tuple[str, float, float]
) -> None:
    assert outcome(points(IN_DOMJUDGE, said)) == expected


def test_in_domjudges_dialect_points_of_a_checker_are_summed_instead() -> None:
    root = TestGroup(name="", rule=IN_DOMJUDGE.rule, parts=(whole("secret", 40, "1", "2", "3"),))
    given: dict[str, Said] = {"secret/1": ("AC", 7.5), "secret/2": "WA", "secret/3": ("AC", 1)}
    assert outcome(points(root, given, has_checker_scores=True))[:2] == ("WA", 8.5)


SAMPLES_COUNT = TestGroup(
    name="", rule=GO_ON, parts=(group("sample", GO_ON, "1", "2"), group("secret", replace(GO_ON, accept_score=10), "1"))
)


def test_samples_count_in_the_legacy_format_unless_ignored() -> None:
    assert outcome(points(SAMPLES_COUNT, {})) == ("AC", 12, 12)
    assert [each.name for each in points(SAMPLES_COUNT, {}).groups] == ["sample", "secret"]
    assert outcome(points(SAMPLES_COUNT, {"sample/2": "WA"})) == ("WA", 11, 12)
    ignored = replace(SAMPLES_COUNT, rule=replace(GO_ON, ignores_sample=True))
    assert outcome(points(ignored, {"sample/2": "WA"})) == ("AC", 10, 10)
    assert [each.name for each in points(ignored, {}).groups] == ["secret"]


def test_the_policy_decides_what_is_left_without_acceptance() -> None:
    failed = points(SAMPLES_COUNT, {"sample/2": "WA"}, "accepted")
    assert (outcome(failed), failed.is_forfeited) == (("WA", 0, 12), True)
    assert [each.score for each in failed.groups] == [1, 10]
    partly = {"secret/2/1": "WA"}
    assert outcome(points(template(40, 60), partly, "accepted")) == ("AC", 40, 100)
    assert [each.name for each in points(template(40, 60), {}, "accepted").groups] == ["secret/1", "secret/2"]


def test_where_the_checker_gives_the_points_the_range_is_the_most() -> None:
    root = graded(replace(GO_ON, least=0, most=40), "1", "2")
    assert ScoringRules(root=root).most_of(root.parts[1]) == 2  # type: ignore[arg-type]
    assert ScoringRules(root=root, has_checker_scores=True).most_of(root.parts[1]) == 40  # type: ignore[arg-type]
    endless = graded(GO_ON, "1")
    assert points(endless, {"secret/1": ("AC", 7)}, has_checker_scores=True).max_score is None


# What must hold of all groups

VERDICTS = st.sampled_from(["AC", "AC", "AC", "WA", "TLE", "RE"])


@st.composite
def trees_of_2025_09(draw: st.DrawFn) -> TestGroup:
    groups = []
    for number in range(draw(st.integers(1, 4))):
        aggregation = draw(st.sampled_from(["pass-fail", "sum", "min"]))
        rule = Points(max_score=draw(st.integers(0, 50)), aggregation=aggregation)
        cases = map(str, range(draw(st.integers(1, 4))))
        groups.append(group(f"secret/{number}", rule, *cases))
    most = sum(each.rule.max_score or 0 for each in groups if isinstance(each.rule, Points))
    return secret(Points(max_score=most), *groups)


@st.composite
def legacy_trees(draw: st.DrawFn) -> TestGroup:
    def rule() -> Grading:
        breaks = draw(st.booleans())  # what breaks and is accepted all the same may get more by that
        return Grading(
            on_reject="break" if breaks else "continue",
            accept_score=draw(st.integers(0, 20)),
            verdict=draw(st.sampled_from(["worst_error", "first_error", *["always_accept"] * (not breaks)])),
            score=draw(st.sampled_from(["sum", "min", "max", "avg"])),
            accepts_if_any=not breaks and draw(st.booleans()),
        )

    groups = [
        group(f"secret/{number}", rule(), *map(str, range(draw(st.integers(1, 4)))))
        for number in range(draw(st.integers(1, 4)))
    ]
    return graded(rule(), *groups)


def drawn_verdicts(data: st.DataObject, root: TestGroup) -> dict[str, Said]:
    return {name: data.draw(VERDICTS) for name in names_below(root)}


def never_breaking(node: TestGroup) -> TestGroup:
    assert isinstance(node.rule, Grading)
    parts = tuple(part if isinstance(part, str) else never_breaking(part) for part in node.parts)
    return replace(node, rule=replace(node.rule, on_reject="continue"), parts=parts)


@given(st.data())
def test_points_lie_between_nothing_and_the_most(data: st.DataObject) -> None:
    root = data.draw(st.one_of(trees_of_2025_09(), legacy_trees()))
    found = points(root, drawn_verdicts(data, root))
    assert found.max_score is not None
    assert 0 <= found.score <= found.max_score
    for each in found.groups:
        assert each.max_score is not None
        assert 0 <= each.score <= each.max_score
        assert each.accepted <= each.cases


@given(st.data())
def test_all_accepted_gives_the_most_and_less_never_more(data: st.DataObject) -> None:
    root = data.draw(st.one_of(trees_of_2025_09(), legacy_trees()))
    full = points(root, {})
    assert (full.verdict, full.score) == (Verdict.AC, full.max_score)
    assert points(root, drawn_verdicts(data, root)).score <= full.score


@given(st.data())
def test_breaking_off_never_raises_the_points(data: st.DataObject) -> None:
    root = data.draw(legacy_trees())
    said = drawn_verdicts(data, root)
    assert points(root, said).score <= points(never_breaking(root), said).score
    assert set(run(root, said)) <= set(run(never_breaking(root), said))


@given(st.data())
def test_pass_fail_is_all_accepted(data: st.DataObject) -> None:
    cases = tuple(map(str, range(data.draw(st.integers(1, 6)))))
    rule = Points(max_score=7, aggregation="pass-fail")
    one = group("secret/a", rule, *cases)
    said = drawn_verdicts(data, one)
    assert float(points_of(one, judged_as(said))) == (7 if set(said.values()) == {"AC"} else 0)


@given(st.data())
def test_the_template_gives_what_its_right_groups_are_worth(data: st.DataObject) -> None:
    worth = data.draw(st.lists(st.integers(1, 25), min_size=1, max_size=4))
    root = template(*worth)
    said = drawn_verdicts(data, root)
    right = [
        value
        for number, value in enumerate(worth, start=1)
        if all(said[f"secret/{number}/{place}"] == "AC" for place in (1, 2, 3))
    ]
    found = points(root, said)
    assert (found.score, found.verdict is Verdict.AC) == (sum(right), bool(right))
