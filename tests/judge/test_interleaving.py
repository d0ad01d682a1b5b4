"""Submissions as an experiment: the same programs, on a case, under the problem's own limits."""

import pytest
from django.contrib.auth.models import User

from judge.experiments.interleaving import NotRepeatable, interleaved_spec, most_rounds
from judge.grading.experiment.checks import problems_of
from judge.models import Status, Submission
from problems.models import Problem, ProblemVersion

pytestmark = pytest.mark.django_db


def _version(number: int, **columns: object) -> ProblemVersion:
    problem, _ = Problem.objects.get_or_create(slug="sum", title="Sum")
    given = {
        "digest": str(number) * 64,
        "title": "Sum",
        "time_limit_ms": 2_000,
        "memory_bytes": 2**28,
        "output_bytes": 2**23,
        "code_bytes": 2**16,
        "test_case_count": 1,
    }
    return ProblemVersion.objects.create(problem=problem, number=number, **{**given, **columns})


def _sent(version: ProblemVersion, source: bytes = b"int main() {}\n", language: str = "cpp") -> Submission:
    user, _ = User.objects.get_or_create(username="student")
    return Submission.objects.create(
        user=user,
        problem=version.problem,
        problem_version=version,
        language=language,
        source=source,
        status=Status.DONE,
    )


def test_variants_are_the_submissions_as_they_were_sent() -> None:
    version = _version(1, stdout="pipe")
    sides = _sent(version, "// caf\u00e9\r\n".encode()), _sent(version, b"print()", "python")
    spec = interleaved_spec(sides, "secret/1", 7)
    assert [variant.source for variant in spec.variants] == ["// caf\u00e9\r\n", "print()"]
    assert [variant.submission for variant in spec.variants] == [side.pk for side in sides]
    assert [variant.name for variant in spec.variants] == [f"#{sides[0].pk} C++20", f"#{sides[1].pk} Python"]
    assert (spec.destinations, spec.rounds) == (("pipe",), 7)
    assert spec.case is not None
    assert (spec.case.version, spec.case.case) == (version.pk, "secret/1")
    assert problems_of(spec) == {}


def test_the_newest_version_that_judged_one_of_them_says_the_limits() -> None:
    old, new = _version(1), _version(2, time_limit_ms=3_000)
    spec = interleaved_spec([_sent(new), _sent(old)], "secret/1", 5)
    assert spec.case is not None
    assert spec.case.version == new.pk
    assert spec.settings.cpu_time_ms == 3_000


@pytest.mark.parametrize(
    ("limit_ms", "slowest_us", "cpu_time_ms"),
    [(600, 500_000, 600), (600, 720_000, 6_000), (2_000, 2_400_000, 8_000), (9_000, 9_500_000, 9_000)],
)
def test_where_one_was_stopped_at_the_limit_all_get_more_time(limit_ms: int, slowest_us: int, cpu_time_ms: int) -> None:
    version = _version(1, time_limit_ms=limit_ms)
    sides = _sent(version), _sent(version)
    sides[0].max_cpu_time_us = slowest_us
    spec = interleaved_spec(sides, "secret/1", most_rounds(sides))
    assert spec.settings.cpu_time_ms == cpu_time_ms
    assert problems_of(spec) == {}


def test_a_source_that_is_no_text_is_not_changed_but_refused() -> None:
    broken = _sent(_version(1), b"// \xff\n")
    with pytest.raises(NotRepeatable, match=f"submission {broken.pk} is not valid UTF-8"):
        interleaved_spec([broken, broken], "secret/1", 5)


@pytest.mark.parametrize(("limit_ms", "sides", "rounds"), [(1_000, 2, 20), (10_000, 6, 10), (60_000, 6, 1)])
def test_rounds_are_as_many_as_a_run_may_take_at_most(limit_ms: int, sides: int, rounds: int) -> None:
    version = _version(1, time_limit_ms=limit_ms)
    submissions = [_sent(version) for _ in range(sides)]
    assert most_rounds(submissions) == rounds
    assert problems_of(interleaved_spec(submissions, "secret/1", rounds)) == {}
    assert problems_of(interleaved_spec(submissions, "secret/1", rounds + 50))
