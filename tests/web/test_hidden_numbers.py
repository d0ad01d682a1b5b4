"""Every address of the site, asked by the author of a submission: nothing tells two runs of a hidden case apart.

The rows are filled twice, with numbers that are alike when they are rounded. All that the author is sent must be the
same, byte by byte: sentences, titles, widths of bars, paths of pictures, files. And no number of either is anywhere.
A new address is walked by itself; one with a new kind of parameter fails here until `values` knows it.
"""

import re
from collections.abc import Callable, Iterator, Mapping
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.test import Client

from judge.experiments.interleaving import interleaved_spec
from judge.grading import words
from judge.grading.case_ending import CallExcess, CaseEnding, TokenDifference
from judge.grading.experiment.results import RunMeasured
from judge.grading.experiment.spec import METRICS
from judge.grading.measures import STORED, Kind, Measure
from judge.grading.reading.program_errors import ErrorKind, ProgramError
from judge.grading.stages import TOTAL, Stage
from judge.models import (
    Assignment,
    ExperimentRun,
    SharedComparison,
    SharedSide,
    Status,
    Submission,
    TestCaseResult,
)
from judge.reruns.kinds import RerunKind
from problems.jsonvalues import to_json
from problems.models import CaseVisibility, Problem, ProblemVersion
from sandbox.types import Ending, TimelinePoint
from tests.web.test_every_address import addresses
from web.access.visibility import Visibility

pytestmark = pytest.mark.django_db

NAME = "secret/07-tricky"
MIB = 1024 * 1024
Numbers = Mapping[str, int]
ONE: Numbers = {
    "user_time_us": 261_347,
    "system_time_us": 1_047_123,
    "wall_time_us": 1_918_765,
    "queued_time_us": 3_217,
    "peak_memory_bytes": 123_456_789,
    "voluntary_switches": 73,
    "involuntary_switches": 4_711,
    "minor_faults": 12_047,
    "major_faults": 17,
    "read_calls": 83,
    "write_calls": 47_113,
    "read_bytes": 61_237,
    "write_bytes": 391_467,
    "stdout_bytes": 391_391,
    "stderr_bytes": 76,
}
OTHER: Numbers = {
    "user_time_us": 258_911,
    "system_time_us": 1_049_777,
    "wall_time_us": 1_923_456,
    "queued_time_us": 8_888,
    "peak_memory_bytes": 124_999_999,
    "voluntary_switches": 12,
    "involuntary_switches": 4_691,
    "minor_faults": 11_987,
    "major_faults": 93,
    "read_calls": 19,
    "write_calls": 46_903,
    "read_bytes": 60_777,
    "write_bytes": 386_123,
    "stdout_bytes": 386_077,
    "stderr_bytes": 54,
}


ALIKE = {  # of each kind, values that look the same when they are rounded
    Kind.TIME: (261_347, 258_911),
    Kind.MEMORY: (123_456_789, 124_999_999),
    Kind.COUNT: (47_113, 46_903),
    Kind.BYTES: (391_467, 386_123),
    Kind.SWITCHES: (4_711, 4_691),
}
NEW = [measure for measure in STORED if measure.name not in ONE]  # since these were written down
ONE = {**ONE, **{measure.name: ALIKE[measure.kind][0] for measure in NEW}}
OTHER = {**OTHER, **{measure.name: ALIKE[measure.kind][1] for measure in NEW}}


def cpu_us(numbers: Numbers) -> int:
    return numbers["user_time_us"] + numbers["system_time_us"]


def profile(numbers: Numbers) -> dict[str, Any]:
    calls = {"write": numbers["write_calls"], "brk": numbers["minor_faults"], "read": numbers["read_calls"]}
    rare = {f"rare_{place}": numbers["major_faults"] % 7 + place for place in range(numbers["major_faults"] % 5)}
    streams = {
        "stdin": {"calls": numbers["read_calls"], "bytes": numbers["read_bytes"]},
        "stdout": {"calls": numbers["write_calls"], "bytes": numbers["stdout_bytes"]},
        "stderr": {"calls": numbers["major_faults"], "bytes": numbers["stderr_bytes"]},
    }
    return {"syscalls": calls | rare, "streams": streams}


def trial(numbers: Numbers) -> dict[str, Any]:
    def run(verdict: str, part: int, writes: int) -> dict[str, Any]:
        times = ("user_time_us", "system_time_us", "wall_time_us", "queued_time_us")
        return {
            "verdict": verdict,
            "usage": {name: numbers[name] // part for name in times},
            "io": {"read_calls": 9, "write_calls": writes, "read_bytes": 9, "write_bytes": numbers["write_bytes"]},
            "stdout_bytes": numbers["stdout_bytes"],
            "stderr_bytes": numbers["stderr_bytes"],
        }

    return {
        "plain": run("TLE", 1, numbers["write_calls"]),
        "buffered": run("AC", 400, numbers["major_faults"]),
        "is_identical": True,
        "is_whole": True,
        "same_bytes": numbers["write_bytes"],
    }


def fix(numbers: Numbers) -> dict[str, Any]:
    """The same runs, of a changed source that is still too slow: then most is told of it."""
    tried = trial(numbers)
    return {
        "source": "print(1)\n",
        "diff": [],
        "codes": ["no-flush"],
        "plain": tried["plain"],
        "fixed": {**tried["buffered"], "verdict": "TLE"},
        "is_whole": True,
        "cases": 2,
        "run": 2,
        "compared": 2,
        "verdict": "TLE",
        "failed_case": NAME,
        "has_all_stderr": True,
    }


def line_costs(numbers: Numbers) -> dict[str, Any]:
    each = (numbers["write_calls"], numbers["involuntary_switches"], numbers["read_calls"])
    lines = [{"line": line, "writes": writes, "bytes": 8 * writes} for line, writes in enumerate(each, 2)]
    return {"lines": lines[:2], "elsewhere": numbers["major_faults"], "sampled_every": 1, "is_whole": True}


def line_times(numbers: Numbers) -> dict[str, Any]:
    """Its stacks and the order of its lines differ, and are shown to nobody."""
    own = (numbers["user_time_us"], numbers["system_time_us"], numbers["queued_time_us"])
    lines = [{"line": line, "own": each, "total": each} for line, each in enumerate(own, 1)]
    return {
        "lines": sorted(lines, key=lambda line: -line["own"]),
        "stacks": [{"lines": [2, 3], "samples": numbers["major_faults"]}],
        "samples": cpu_us(numbers),
        "elsewhere": numbers["queued_time_us"],
        "lost": numbers["major_faults"],
        "cut": 0,
        "period_us": 997,
        "cpu_time_us": cpu_us(numbers),
        "is_whole": True,
    }


def points(numbers: Numbers) -> tuple[TimelinePoint, ...]:
    """Both are alike at ten even moments, and differ between them."""
    wall_us = numbers["wall_time_us"]
    found = []
    for place in range(51):
        off = numbers["major_faults"] * 100 if place % 5 else 0
        at_us = wall_us * place // 50
        found.append(
            TimelinePoint(
                at_us=at_us,
                cpu_time_us=at_us // 2 + off,
                voluntary_switches=place * 40 + off // 400,
                involuntary_switches=place * 400 + off // 400,
            )
        )
    return tuple(found)


def timeline(numbers: Numbers) -> dict[str, Any]:
    names = ("user_time_us", "system_time_us", "wall_time_us", "queued_time_us")
    usage = {name: numbers[name] for name in (*names, "voluntary_switches", "involuntary_switches")}
    return {"points": [to_json(point) for point in points(numbers)], "usage": usage, "cores": 1, "is_whole": True}


def explanation(numbers: Numbers) -> list[dict[str, Any]]:
    """As the rules write it, but for the share, which is told in whole per cent."""
    writes = words.calls(numbers["write_calls"], "write")
    mean = words.size(numbers["write_bytes"] / numbers["write_calls"])
    evidence = {"test_case": NAME, "cpu_time_us": cpu_us(numbers), "kernel_percent": 80, **numbers}
    evidence |= {"bytes_per_write": numbers["write_bytes"] / numbers["write_calls"], "read": writes}
    summary = {"verdict": "TLE", "accepted": 1, "test_cases": 2, "time_limit_ms": 1_200}
    return [
        {"code": "summary", "evidence": {**evidence, **summary, "ending": to_json(ending(numbers))}, "lines": []},
        {"code": "flush-per-line", "evidence": evidence, "lines": [2]},
        # as rows of the first versions have them
        {
            "code": "summary",
            "text": f"{NAME} is the first test case to fail (1 of 2 accepted): it used "
            f"{words.duration(cpu_us(numbers))} of CPU time (80 % of it in the kernel) with {writes} of {mean} on "
            "average. The limit is 1.2 s.",
            "evidence": evidence,
        },
        {
            "code": "flush-per-line",
            "text": f"Your program made {writes} of {mean} on average on {NAME}; 80 % of its CPU time "
            f"({words.duration(numbers['system_time_us'])} of {words.duration(cpu_us(numbers))}) was spent in the "
            "kernel.",
            "evidence": evidence,
            "lines": [2],
            "advice": "Leave it out.",
        },
    ]


def ending(numbers: Numbers) -> CaseEnding:
    """With all that a row of a hidden case should not have, and does not tell."""
    read = f"{numbers['read_bytes']:,}"
    return CaseEnding(
        how=Ending.CPU_LIMIT,
        limit=1_200,
        exit_code=numbers["major_faults"],
        signal=str(numbers["major_faults"]),
        error=ProgramError(kind=ErrorKind.EXCEPTION, name=f"Read{read}", message=read),
        calls=CallExcess(what="write", made=numbers["write_calls"], most=numbers["read_calls"]),
        difference=TokenDifference(number=numbers["involuntary_switches"], expected=read, got=read),
        refusal=read,
        text=f"CPU time limit of 1.2 s; run 2 times: 1.31, {cpu_us(numbers) / 1e6:.3f} s of CPU time",
    )


def repeats(numbers: Numbers) -> dict[str, Any]:
    """Of five runs only the fastest and the slowest are told; the others differ."""
    times = (numbers["system_time_us"], cpu_us(numbers))
    return {"cpu_times_us": [times[0] + numbers["major_faults"], *times, times[1] - 1, times[0] + 1], "within": 3}


def growth(numbers: Numbers) -> dict[str, Any]:
    """Of extra runs: what is told is rounded, what the picture is drawn of too."""
    times = {name: cpu_us(numbers) for name in ("largest_time_us", "largest_low_us", "largest_high_us")}
    sizes = dict.fromkeys(("least_bytes", "most_bytes", "largest_bytes"), numbers["read_bytes"])
    evidence = {
        "inputs": "generated",
        "power_percent": 198 + numbers["major_faults"] % 2,
        "low_percent": 182,
        "high_percent": 212,
        "test_cases": 7,
        "time_limit_ms": 1_200,
        "points": [[numbers["read_bytes"], numbers["system_time_us"]], [numbers["write_bytes"], cpu_us(numbers)]],
        "line": [numbers["read_bytes"], numbers["system_time_us"]],
    }
    return {"code": "growth", "evidence": {**evidence, **times, **sizes}, "lines": []}


def stages(numbers: Numbers) -> dict[str, int]:
    names = {Stage.RUN: "wall_time_us", Stage.PROFILE: "system_time_us", Stage.CHECK: "queued_time_us"}
    known = {stage.value: numbers[names[stage]] if stage in names else 20_000 for stage in Stage}
    return known | {TOTAL: sum(known.values())}


def fill(submissions: list[Submission], run: ExperimentRun, numbers: Numbers) -> None:
    """Has the hidden case of all of them, and all that is told of it, come to these numbers."""
    for submission in submissions:
        submission.results.filter(name=NAME).update(
            profile=profile(numbers),
            buffered=trial(numbers),
            fix=fix(numbers),
            line_costs=line_costs(numbers),
            line_times=line_times(numbers),
            timeline=timeline(numbers),
            repeats=repeats(numbers),
            growth=growth(numbers),
            run_times=[1_310_000 + numbers["major_faults"], cpu_us(numbers)],
            ending=ending(numbers),
            judge_message=f"it read {numbers['read_bytes']} bytes",
            passes=numbers["major_faults"],
            **numbers,
        )
    Submission.objects.update(
        max_cpu_time_us=cpu_us(numbers),
        max_peak_memory_bytes=numbers["peak_memory_bytes"],
        explanation=explanation(numbers),
        stages=stages(numbers),
    )
    given = {**dict.fromkeys(METRICS, 0), **{name: numbers[name] for name in numbers if name in METRICS}}
    given |= {"cpu_time_us": cpu_us(numbers), "waiting_time_us": numbers["queued_time_us"]}
    runs = [
        RunMeasured(
            variant=variant.name,
            destination="file",
            round=number,
            ending="exited",
            verdict="AC",
            numbers=dict.fromkeys(METRICS, 7_000_000) if place else given,
            end=ending(numbers),
            timeline=points(numbers),
        )
        for number in range(4)
        for place, variant in enumerate(run.spec.variants)
    ]
    ExperimentRun.objects.filter(pk=run.pk).update(runs=runs)


@pytest.fixture
def version(problem: Problem) -> ProblemVersion:
    """A closed one, with a limit on time that the case exceeds."""
    assert problem.current_version
    ProblemVersion.objects.update(time_limit_ms=1_200)
    problem.current_version.refresh_from_db()
    return problem.current_version


@pytest.fixture
def submissions(student: User, problem: Problem, version: ProblemVersion) -> list[Submission]:
    """Two, each with a sample and the hidden case."""
    made = []
    for _ in range(2):
        submission = Submission.objects.create(
            user=student,
            problem=problem,
            problem_version=version,
            language="cpp",
            source=b"int main() {\n  a();\n  b();\n  c();\n}\n",
            status=Status.DONE,
            attempt=1,
            verdict="TLE",
            compile_ok=True,
            test_case_count=2,
        )
        for position, name in enumerate(("sample/1", NAME)):
            zeros = dict.fromkeys(ONE, 0)
            TestCaseResult.objects.create(
                submission=submission,
                attempt=1,
                position=position,
                name=name,
                is_sample=name != NAME,
                verdict="TLE" if position else "AC",
                **zeros,
            )
        made.append(submission)
    return made


@pytest.fixture
def run(student: User, submissions: list[Submission]) -> ExperimentRun:
    """The two in turns on the hidden case."""
    spec = interleaved_spec(submissions, NAME, 4)
    return ExperimentRun.objects.create(
        user=student, key="submissions", spec=spec, total_runs=8, status=Status.DONE, is_shared=True
    )


@pytest.fixture
def values(student: User, problem: Problem, submissions: list[Submission], run: ExperimentRun) -> dict[str, object]:
    """A value for each parameter of an address."""
    shared = SharedComparison.objects.create(token="A" * 32, owner=student, shows_names=True)
    SharedSide.objects.bulk_create(
        SharedSide(shared=shared, submission=submission, position=place) for place, submission in enumerate(submissions)
    )
    assignment = Assignment.objects.create(title="Output", owner=student)
    assignment.problems.add(problem)
    assignment.students.add(student)
    return {
        "slug": problem.slug,
        "submission_id": submissions[1].pk,
        "position": 1,
        "examination": "profile",
        "number": 1,
        "kind": "submission",
        "path": "attachments/none.txt",
        "rejudge_id": 1,
        "rejudged_id": 1,
        "upload_id": 1,
        "key": run.key,
        "run_id": run.pk,
        "assignment_id": assignment.pk,
        "token": "guessed",
        "invitation_id": 1,
        "link_token": shared.token,
        "custom_run_id": 1,
        "deleted_id": 1,
        "person_id": student.pk,
        "uidb36": "1",
        "link_key": "guessed",
    }


Answers = dict[str, str]


@pytest.fixture
def walk(
    client: Client, student: User, values: dict[str, object], submissions: list[Submission]
) -> Callable[[], Answers]:
    """A function that asks for everything as the author does: what was sent, by the address that was asked."""
    asked = f"?s={submissions[0].pk}&s={submissions[1].pk}"

    def gather() -> Iterator[tuple[str, str]]:
        client.force_login(student)
        paths = [path for name, path in addresses(values) if name != "logout"]
        queries = ("", asked, f"?a={submissions[0].pk}&b={submissions[1].pk}", f"?a={submissions[1].pk}")
        for address in [
            path + query for path in paths for query in (queries[:1] if _is_of_accounts(path) else queries)
        ]:
            answer = client.get(address)
            if not (answer.streaming and address.partition("?")[0].endswith("events")):
                body = b"".join(answer) if answer.streaming else answer.content
                yield address, f"{answer.status_code}\n{_steady(body.decode())}"
        for examination in RerunKind:
            address = f"/submissions/{submissions[1].pk}/cases/1/{examination}"
            answer = client.post(address, headers={"HX-Request": "true"})
            yield f"POST {address}", _steady(answer.content.decode())

    return lambda: dict(gather())


def _is_of_accounts(path: str) -> bool:
    """Return whether the page is about the account: none of these reads a query that names submissions."""
    return path.startswith(("/account/", "/login/", "/signup/", "/invitations/"))


def _steady(body: str) -> str:
    """Without tokens that are drawn anew each time, and how long ago something was."""
    body = re.sub(r'name="csrfmiddlewaretoken" value="[^"]*"', "", body)
    body = re.sub(r'"X-CSRFToken": ?"[^"]*"|X-CSRFToken[^}]*', "", body)
    return re.sub(r'nonce="[^"]*"|\d+\u00a0(?:seconds?|minutes?) ago|just now', "", body)


def _exact(numbers: Numbers) -> set[str]:
    """The numbers as pages, sentences and files may write them, as far as they would be seen for certain."""
    found = set()
    for name, number in {**numbers, "cpu_time_us": cpu_us(numbers)}.items():
        if number > 999:
            found |= {str(number), f"{number:,}"}
            if name.endswith("_us"):
                found |= {f"{number / 1_000:.3f}", words.duration(number).replace(" ", "\u00a0")}
            if name.endswith("_bytes") and not words.size(number).endswith(" bytes"):
                found.add(words.size(number).replace(" ", "\u00a0"))
    rough = {words.rough_duration(number * 10_000).replace(" ", "\u00a0") for number in range(400)}
    return found - rough - {"120\u00a0MiB"}


def _told(number: int) -> tuple[str, int, int]:
    """What is told of a number, and whether that is a bound."""
    return type(number).__name__, int(number), getattr(number, "bound", 0)


@pytest.mark.parametrize("measure", STORED, ids=lambda measure: measure.name)
def test_the_two_runs_differ_in_every_number_and_are_alike_when_rounded(
    measure: Measure, version: ProblemVersion
) -> None:
    one, other = ONE[measure.name], OTHER[measure.name]
    shown = Visibility(sees_all=False).rounding_of_hidden(version)
    assert one != other
    assert _told(shown.measured(measure, one)) == _told(shown.measured(measure, other)) != _told(one)


@pytest.mark.parametrize("visibility", CaseVisibility)
@pytest.mark.thorough
def test_runs_that_are_alike_when_rounded_cannot_be_told_apart(
    walk: Callable[[], Answers],
    submissions: list[Submission],
    run: ExperimentRun,
    problem: Problem,
    visibility: CaseVisibility,
) -> None:
    Problem.objects.update(case_visibility=visibility)
    fill(submissions, run, ONE)
    one = walk()
    fill(submissions, run, OTHER)
    other = walk()
    for address, body in one.items():
        assert body == other[address], address


def assert_pages_tell_of_the_case(answers: Answers, last: Submission, run: ExperimentRun) -> None:
    """Check that a rounded number of the hidden case stands on each kind of page that shows the case."""
    telling = " ".join(address for address, body in answers.items() if "47,000" in body or "47000" in body)
    for address in (
        f"/submissions/{last.pk}/",
        f"/submissions/{last.pk}/live",
        "/compare/?s=",
        "/compare/shared/",
        f"/experiments/runs/{run.pk}/",
        f"/experiments/runs/{run.pk}/live",
        f"/experiments/runs/{run.pk}/json",
        f"/experiments/runs/{run.pk}/csv",
        "POST /submissions/",
    ):
        assert address in telling, address


@pytest.mark.parametrize("numbers", [ONE, pytest.param(OTHER, marks=pytest.mark.thorough)])
def test_no_number_of_a_hidden_case_stands_anywhere(
    walk: Callable[[], Answers], submissions: list[Submission], run: ExperimentRun, numbers: Numbers
) -> None:
    fill(submissions, run, numbers)
    answers = walk()
    assert_pages_tell_of_the_case(answers, submissions[1], run)  # else no number stands on empty pages either
    for address, body in answers.items():
        for number in _exact(numbers):
            assert not re.search(rf"(?<![\d.,]){re.escape(number)}(?![\d.,]*\d)", body), (address, number)


@pytest.mark.thorough
def test_on_an_open_problem_they_can_be_told_apart(
    walk: Callable[[], Answers], submissions: list[Submission], run: ExperimentRun, version: ProblemVersion
) -> None:
    """So the walk would notice."""
    ProblemVersion.objects.filter(pk=version.pk).update(exact_numbers=True)
    fill(submissions, run, ONE)
    one = walk()
    fill(submissions, run, OTHER)
    other = walk()
    differing = " ".join(address for address, body in one.items() if body != other[address])
    last = submissions[1].pk
    for address in (f"/submissions/{last}/", "/submissions/csv", "/submissions/?", "/compare/?", "/problems/", "/json"):
        assert address in differing, address
    assert "47,113" in one[f"/submissions/{last}/"]
