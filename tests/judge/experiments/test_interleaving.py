"""Submissions as an experiment: the same programs, on a case, under the problem's own limits."""

from collections.abc import Callable

import pytest
from django.contrib.auth.models import User

from judge.experiments.interleaving import NotRepeatable, interleaved_spec, most_rounds
from judge.grading.experiment.checks import problems_of
from judge.models import Status, Submission, TestCaseResult
from problems.models import Problem, ProblemVersion

pytestmark = pytest.mark.django_db
MakeResult = Callable[[Submission], TestCaseResult]


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
    assert (spec.case.version, spec.case.cpu_time_ms, spec.cpu_time_ms) == (new.pk, 3_000, 3_000)


def _judged(result: TestCaseResult, cpu_time_us: int, verdict: str, name: str = "secret/1") -> None:
    result.user_time_us, result.verdict, result.name = cpu_time_us, verdict, name
    result.save()


@pytest.mark.parametrize(
    ("limit_ms", "slowest_us", "verdict", "cpu_time_ms"),
    [
        (600, 500_000, "AC", 600),
        (600, 720_000, "TLE", 6_000),
        (600, 1_000, "TLE", 6_000),  # it waited
        (600, 720_000, "AC", 6_000),  # by an older version, whose limit was longer
        (2_000, 2_400_000, "TLE", 10_000),
        (9_000, 9_500_000, "TLE", 13_500),
        (30_000, 36_000_000, "TLE", 45_000),
    ],
)
def test_where_one_was_over_the_limit_all_get_more_time(
    make_result: MakeResult, limit_ms: int, slowest_us: int, verdict: str, cpu_time_ms: int
) -> None:
    version = _version(1, time_limit_ms=limit_ms)
    sides = _sent(version), _sent(version)
    _judged(make_result(sides[0]), slowest_us, verdict)
    spec = interleaved_spec(sides, "secret/1", most_rounds(sides))
    assert spec.cpu_time_ms == cpu_time_ms
    assert problems_of(spec) == {}


def test_time_that_another_case_or_an_earlier_judging_took_gives_no_more(make_result: MakeResult) -> None:
    version = _version(1)
    sides = _sent(version), _sent(version)
    _judged(make_result(sides[0]), 2_400_000, "TLE", "secret/2")
    _judged(make_result(sides[1]), 2_400_000, "TLE", "secret/1")
    Submission.objects.filter(pk=sides[1].pk).update(attempt=sides[1].attempt + 1)
    assert interleaved_spec(sides, "secret/1", 5).cpu_time_ms == 2_000
    assert interleaved_spec(sides, "secret/2", 5).cpu_time_ms == 10_000
    assert most_rounds([*sides, *sides, *sides]) == 10  # whichever case is chosen


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
