"""Scoring problems through the whole of grading, on a scripted sandbox: what is run, the points, what is said."""

from dataclasses import replace
from pathlib import Path

from judge.grading.events import CaseJudged, Event, GradingFinished, GradingJob, ProfilePolicy
from judge.grading.submission.grading import grade
from judge.grading.verdicts import Verdict
from problems.groups.points import names_below
from problems.testgroups import Grading, Points, TestGroup
from sandbox.types import Command, Ending, Limits, Outcome, Usage
from tests.fakes import FakeSandbox, Scripted
from tests.judge.grading.scoring.scores import group, template
from tests.judge.packages import make_package
from tests.judge.spoken import spoken

TOO_SLOW = Scripted(
    outcome=Outcome(ending=Ending.CPU_LIMIT, signal=9, usage=Usage(user_time_us=1_300_000, wall_time_us=1_300_000))
)
WRONG = Scripted(stdout=b"no")
CRASH = Scripted(outcome=Outcome(ending=Ending.SIGNALLED, signal=11))


def graded(
    tmp_path: Path, root: TestGroup, behaviour: dict[str, Scripted], policy: str = "groups"
) -> tuple[list[str], GradingFinished]:
    """The names of the cases that were run, and the last event; what is not in `behaviour` answers rightly."""
    names = list(names_below(root))
    package = make_package(tmp_path / "package", {name: (f"{name}\n", f"{name}\n") for name in names})
    package = replace(package, groups=root, limits=replace(package.limits, score_policy=policy))

    def script(command: Command, limits: Limits) -> Scripted:
        if command.stdin is None:
            return Scripted(files={"main": b"\x7fELF"})
        name = command.stdin.read_text().strip()
        return behaviour.get(name) or Scripted(stdout=name.encode())

    job = GradingJob(package=package, language="cpp", source=b"source", profile=ProfilePolicy.NONE)
    events: list[Event] = list(grade(job, FakeSandbox(script), tmp_path / "work"))
    finished = events[-1]
    assert isinstance(finished, GradingFinished)
    return [event.name for event in events if isinstance(event, CaseJudged)], finished


def said(finished: GradingFinished, code: str) -> str:
    told = spoken(finished.explanation, None)
    return told[code].text if code in told else ""


def test_a_group_ends_with_its_first_rejection_and_the_others_keep_their_points(tmp_path: Path) -> None:
    ran, finished = graded(tmp_path, template(10, 30, 60), {"secret/2/1": WRONG, "sample/1": CRASH})
    assert ran == [
        "sample/1",
        *("secret/1/1", "secret/1/2", "secret/1/3"),
        "secret/2/1",
        *("secret/3/1", "secret/3/2", "secret/3/3"),
    ]
    assert (finished.verdict, finished.score, finished.max_score) == (Verdict.AC, 70, 100)
    assert [(each.name, each.score) for each in finished.groups] == [
        ("secret/1", 10),
        ("secret/2", 0),
        ("secret/3", 60),
    ]
    assert said(finished, "points") == "70 of 100 points: group 2 of 3 failed (WA)."
    assert said(finished, "not-run") == (
        "2 of 10 test cases were not run: secret/2 ends with the first part of it that is not accepted."
    )
    assert said(finished, "summary").startswith("sample/1 is the first test case to fail (6 of 8 accepted)")


def test_all_points_need_no_list_of_groups(tmp_path: Path) -> None:
    ran, finished = graded(tmp_path, template(40, 60), {})
    assert len(ran) == 7
    assert said(finished, "points") == "100 of 100 points: all 2 groups are right."
    assert said(finished, "not-run") == ""


def test_the_reasons_for_leaving_cases_out_are_told_apart(tmp_path: Path) -> None:
    lost = group("secret/1", Points(max_score=40, aggregation="pass-fail"), "1", "2", "3")
    needy = group("secret/2", Points(max_score=60, requires=("secret/1",)), "1", "2")
    parts = (TestGroup(name="secret", rule=Points(max_score=100), parts=(lost, needy)),)
    ran, finished = graded(
        tmp_path,
        TestGroup(name="", rule=Points(), parts=parts),
        {"secret/1/1": TOO_SLOW, "secret/1/2": TOO_SLOW},
    )
    assert ran == ["secret/1/1", "secret/1/2"]
    assert (finished.verdict, finished.score, finished.max_score) == (Verdict.TLE, 0, 100)
    assert said(finished, "not-run") == (
        "3 of 5 test cases were not run: 1 because two test cases of secret/1 had already been too slow, "
        "2 because secret/2 needs secret/1, which is not accepted."
    )
    assert said(finished, "points") == "0 of 100 points: group 1 of 2 failed (TLE), group 2 of 2 was not run."


def test_a_scoring_problem_goes_on_after_time_limits_of_other_groups(tmp_path: Path) -> None:
    ran, finished = graded(tmp_path, template(40, 30, 30), {"secret/1/1": TOO_SLOW, "secret/2/1": TOO_SLOW})
    assert ran == ["sample/1", "secret/1/1", "secret/2/1", "secret/3/1", "secret/3/2", "secret/3/3"]
    assert finished.score == 30


def test_without_acceptance_the_policy_takes_the_points(tmp_path: Path) -> None:
    root = TestGroup(
        name="",
        rule=Grading(on_reject="continue", ignores_sample=True),
        parts=(group("secret", Grading(on_reject="continue", accept_score=25), "1", "2", "3", "4"),),
    )
    _, kept = graded(tmp_path, root, {"secret/4": CRASH})
    assert (kept.verdict, kept.score) == (Verdict.RE, 75)
    assert said(kept, "points") == "75 of 100 points."
    _, lost = graded(tmp_path, root, {"secret/4": CRASH}, policy="accepted")
    assert (lost.verdict, lost.score, lost.groups[0].score) == (Verdict.RE, 0, 75)
    assert said(lost, "points") == (
        "0 of 100 points: only an accepted submission has points here. Its groups came to 75."
    )


def test_points_that_the_package_forbids_are_a_judge_error(tmp_path: Path) -> None:
    root = TestGroup(
        name="", rule=Points(), parts=(group("secret", Points(max_score=None), "1"),)
    )  # unbounded, and the default validator gives no points
    _, finished = graded(tmp_path, root, {})
    assert (finished.verdict, finished.score, finished.groups) == (Verdict.JE, None, ())
    assert "must write score.txt" in finished.judge_message
    narrow = TestGroup(name="", rule=Grading(), parts=(group("secret", Grading(most=1), "1", "2"),))
    assert "range: 2 points are outside -inf to 1" in graded(tmp_path, narrow, {})[1].judge_message


def test_a_program_that_does_not_compile_has_no_points(tmp_path: Path) -> None:
    root = template(40, 60)
    package = replace(make_package(tmp_path / "package"), groups=root)
    failed = FakeSandbox(lambda command, limits: Scripted(outcome=Outcome(ending=Ending.EXITED, exit_code=1)))
    job = GradingJob(package=package, language="cpp", source=b"source")
    finished = list(grade(job, failed, tmp_path / "work"))[-1]
    assert isinstance(finished, GradingFinished)
    assert (finished.verdict, finished.score, finished.max_score, finished.groups) == (Verdict.CE, None, None, ())
