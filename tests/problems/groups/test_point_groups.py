"""data/ of a scoring problem of the format 2025-09 as a tree."""

import pytest

from problems.loading.loading import load_package
from problems.testgroups import Points, TestGroup
from tests.problems.conftest import Files, Write
from tests.problems.loaded import SCORING, cases, errors_of


def test_groups_are_a_tree_in_order(new: Write) -> None:
    files = {
        **SCORING,
        **cases("secret/2-large/b/1", "secret/2-large/a", "secret/1-small/1"),
        "data/secret/1.in": None,
        "data/secret/1.ans": None,
        "data/secret/1-small/test_group.yaml": "max_score: 40\nrequire_pass: sample\n",
        "data/secret/2-large/test_group.yaml": (
            "max_score: 60\nscore_aggregation: min\nrequire_pass: [sample, secret/1-small]\n"
        ),
    }
    package = load_package(new(files))
    small = TestGroup(
        name="secret/1-small",
        rule=Points(max_score=40, aggregation="pass-fail", requires=("sample",)),
        parts=("secret/1-small/1",),
    )
    large = TestGroup(
        name="secret/2-large",
        rule=Points(max_score=60, aggregation="min", requires=("sample", "secret/1-small")),
        parts=("secret/2-large/a", "secret/2-large/b/1"),
    )
    sample = TestGroup(name="sample", rule=Points(max_score=0, aggregation="pass-fail"), parts=("sample/1",))
    secret = TestGroup(name="secret", rule=Points(max_score=100), parts=(small, large))
    assert package.groups == TestGroup(name="", rule=Points(max_score=100), parts=(sample, secret))
    assert package.warnings == ()


def test_without_groups_secret_has_the_cases_of_all_its_folders(new: Write) -> None:
    package = load_package(
        new({**SCORING, **cases("secret/a/1"), "data/secret/test_group.yaml": "max_score: unbounded\n"})
    )
    assert package.groups is not None
    assert package.groups.parts[1] == TestGroup(
        name="secret", rule=Points(max_score=None), parts=("secret/1", "secret/a/1")
    )


GROUP = {**cases("secret/a/1"), "data/secret/1.in": None, "data/secret/1.ans": None}


@pytest.mark.parametrize(
    ("files", "error"),
    [
        ({"data/sample/test_group.yaml": "max_score: 1"}, "data/sample/test_group.yaml: max_score: is not for samples"),
        ({"data/test_group.yaml": "max_score: 1"}, "data/test_group.yaml: max_score: must stand in data/secret"),
        (
            {"data/secret/test_group.yaml": "max_score: -1"},
            "data/secret/test_group.yaml: max_score: must be unbounded or",
        ),
        (
            {"data/secret/test_group.yaml": "score_aggregation: avg"},
            "data/secret/test_group.yaml: score_aggregation: must be one of pass-fail, sum, min, not 'avg'",
        ),
        (
            {
                "data/secret/test_group.yaml": "{score_aggregation: pass-fail, max_score: unbounded}",
                **GROUP,
                "data/secret/a/test_group.yaml": "max_score: 5",
            },
            "data/secret/test_group.yaml: max_score: must be a number where score_aggregation is pass-fail",
        ),
        ({**GROUP, "data/secret/a/test_group.yaml": ""}, "data/secret/a/test_group.yaml: max_score: is missing"),
        (
            {**GROUP, "data/secret/a/test_group.yaml": "score_aggregation: sum"},
            "data/secret/a/test_group.yaml: max_score: must be given, since all of secret gives 100 at most",
        ),
        (
            {**GROUP, "data/secret/a/test_group.yaml": "{max_score: 5, require_pass: secret/b}"},
            "data/secret/a/test_group.yaml: require_pass: 'secret/b' is no earlier group (there are: sample)",
        ),
        (
            {
                **GROUP,
                **cases("secret/b/1"),
                "data/secret/a/test_group.yaml": "{max_score: 5, score_aggregation: sum}",
                "data/secret/b/test_group.yaml": "{max_score: 5, require_pass: secret/a}",
            },
            "data/secret/b/test_group.yaml: require_pass: secret/a must be pass-fail to be passed",
        ),
        (
            {
                **GROUP,
                "data/secret/test_group.yaml": "score_aggregation: pass-fail",
                "data/secret/a/test_group.yaml": "{max_score: 5, score_aggregation: min}",
            },
            "data/secret/a/test_group.yaml: score_aggregation: must be pass-fail, since that of data/secret is",
        ),
        (
            {**GROUP, **cases("secret/1"), "data/secret/a/test_group.yaml": "max_score: 5"},
            "data/secret: has test groups, so secret/1 must lie in one of them",
        ),
        (
            {
                **GROUP,
                **cases("secret/a/b/1"),
                "data/secret/a/test_group.yaml": "max_score: 5",
                "data/secret/a/b/test_group.yaml": "max_score: 5",
            },
            "data/secret/a/b/test_group.yaml: lies too deep",
        ),
        (
            {"data/secret/b/test_group.yaml": "max_score: 5", **GROUP, "data/secret/a/test_group.yaml": "max_score: 5"},
            "data/secret/b/test_group.yaml: is a test group without a test case",
        ),
    ],
)
def test_points_that_the_format_forbids_are_errors(new: Write, files: Files, error: str) -> None:
    (found,) = errors_of(new({**SCORING, **files}))
    assert found.startswith(error)


def test_groups_that_give_more_than_secret_are_a_warning(new: Write) -> None:
    package = load_package(new({**SCORING, **GROUP, "data/secret/a/test_group.yaml": "max_score: 101"}))
    assert package.warnings == (
        "data/secret/test_group.yaml: max_score: is 100, but the groups give up to 101: more than it is a judge error",
    )


def test_points_need_secret_cases(new: Write) -> None:
    files = {**SCORING, "data/secret/1.in": None, "data/secret/1.ans": None}
    assert errors_of(new(files)) == ["data/secret: has no test case: samples give no points, so nothing does"]


def test_static_validation_is_a_warning_also_where_there_are_no_points(new: Write) -> None:
    package = load_package(new({"data/sample/test_group.yaml": "static_validation_score: pass-fail\n"}))
    assert len(package.warnings) == 1
    assert "static_validation_score: is not used: Tally runs no static validators" in package.warnings[0]
