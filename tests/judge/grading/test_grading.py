"""Grading's own decisions, on a scripted sandbox: order, verdict, when to stop, what to profile."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

import pytest

from judge.grading import explain
from judge.grading.case_ending import CaseEnding, TokenDifference, end_of
from judge.grading.compile_problem import compile_words
from judge.grading.events import (
    CaseJudged,
    CaseProfiled,
    CompileFinished,
    Event,
    Finding,
    GradingFinished,
    GradingJob,
    ProfilePolicy,
)
from judge.grading.explain.evidence.facts import Facts
from judge.grading.languages import UnknownLanguage
from judge.grading.running.execution import run_limits
from judge.grading.submission.grading import grade, profile_case
from judge.grading.verdicts import Verdict
from problems.format.limits import MOST_TIME_LIMIT_S
from problems.package import ProblemLimits
from problems.translation import Sentence
from sandbox.errors import CommandError, JailError, MeterProblem, MeterStop, SandboxError
from sandbox.passes.claims import GRADED_WAIT_MS
from sandbox.types import Command, Ending, JailSpec, Limits, Outcome, Profile, Usage
from tests.fakes import EXITED, PROFILE, FakeSandbox, Script, Scripted
from tests.judge.packages import make_package

NAMES = ("sample/1", "sample/2", "secret/1", "secret/2", "secret/3", "secret/4")
CASES = {name: (f"{number}\n", f"{number}\n") for number, name in enumerate(NAMES)}
Behaviour = Callable[[str], Scripted]


def is_compile_step(command: Command) -> bool:
    return command.stdin is None


def echo(name: str) -> Scripted:
    """The right answer of a case."""
    return Scripted(stdout=CASES[name][1].encode())


def exceeds(ending: Ending, cpu_us: int = 1_200_000) -> Scripted:
    usage = Usage(user_time_us=cpu_us, wall_time_us=cpu_us)
    return Scripted(outcome=Outcome(ending=ending, signal=9, usage=usage, limit=4_711))


def scripted(behaviour: Behaviour) -> Script:
    """Every program compiles, a validator accepts; a case does what `behaviour` says of its name."""

    def script(command: Command, limits: Limits) -> Scripted:
        if command.stdin is None:
            return Scripted(files={"main": b"\x7fELF"})
        if command.argv[1:2] == ("/stage/input",):
            return Scripted(outcome=replace(EXITED, exit_code=42))
        return behaviour(f"{command.stdin.parent.name}/{command.stdin.stem}")

    return script


def events_of(
    tmp_path: Path, sandbox: FakeSandbox, profile: ProfilePolicy = ProfilePolicy.NONE, language: str = "cpp"
) -> list[Event]:
    package = make_package(tmp_path / "package", CASES)
    job = GradingJob(package=package, language=language, source=b"source", profile=profile)
    events = list(grade(job, sandbox, tmp_path / "work"))
    assert sandbox.open_jails == 0
    assert {path.name for path in (tmp_path / "work").iterdir()} <= {"cache"}
    return events


def verdicts(events: list[Event]) -> dict[str, str]:
    return {event.name: event.verdict.value for event in events if isinstance(event, CaseJudged)}


def final(events: list[Event]) -> GradingFinished:
    last = events[-1]
    assert isinstance(last, GradingFinished)
    return last


def profiled(events: list[Event]) -> list[str]:
    return [event.name for event in events if isinstance(event, CaseProfiled)]


def test_right_answers_are_accepted_in_order(tmp_path: Path) -> None:
    events = events_of(tmp_path, FakeSandbox(scripted(echo)))
    compiled = events[0]
    assert isinstance(compiled, CompileFinished)
    assert (compiled.ok, compiled.cases) == (True, 6)
    assert verdicts(events) == dict.fromkeys(NAMES, "AC")
    assert final(events).verdict is Verdict.AC


def test_the_verdict_does_not_wait_until_the_jails_are_closed(tmp_path: Path) -> None:
    sandbox = FakeSandbox(scripted(echo))
    job = GradingJob(package=make_package(tmp_path / "package", CASES), language="cpp", source=b"source")
    open_jails = [sandbox.open_jails for event in grade(job, sandbox, tmp_path / "work")]
    assert open_jails[-1] > 0
    assert sandbox.open_jails == 0


def test_a_jail_that_cannot_be_closed_is_told_after_the_verdict(tmp_path: Path) -> None:
    class Stuck(FakeSandbox):
        @contextmanager
        def open_jail(self, spec: JailSpec) -> Iterator[FakeSandbox]:
            with super().open_jail(spec) as jail:
                yield jail
            if verdicts_told:
                raise SandboxError("the group will not go")

    verdicts_told: list[Verdict] = []
    job = GradingJob(package=make_package(tmp_path / "package", CASES), language="cpp", source=b"source")

    def grade_all() -> None:
        for event in grade(job, Stuck(scripted(echo)), tmp_path / "work"):
            if isinstance(event, CaseJudged):
                verdicts_told.append(event.verdict)

    with pytest.raises(SandboxError, match="will not go"):
        grade_all()
    assert len(verdicts_told) == len(NAMES)


@pytest.mark.parametrize("failing", ["all", "summary"])
def test_an_explanation_that_fails_keeps_no_verdict_back(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, failing: str
) -> None:
    def find(facts: Facts) -> Finding | None:
        raise KeyError(facts.language.id)

    rules = tuple(
        replace(rule, find=find)
        if rule.code == "summary" or (failing == "all" and rule.code != "where-it-went")
        else rule
        for rule in explain.RULES
    )
    monkeypatch.setattr(explain, "RULES", rules)
    slow = FakeSandbox(scripted(lambda name: exceeds(Ending.CPU_LIMIT) if name == "secret/2" else echo(name)))
    finished = final(events_of(tmp_path, slow))
    assert finished.verdict is Verdict.TLE
    assert [finding.code for finding in finished.explanation] == (
        ["where-it-went"] if failing == "all" else ["algorithm"]
    )


def test_a_wrong_answer_does_not_stop_it_and_the_first_failure_gives_the_verdict(tmp_path: Path) -> None:
    def behave(name: str) -> Scripted:
        broken = {
            "secret/2": Scripted(stdout=b"no"),
            "secret/3": Scripted(outcome=Outcome(ending=Ending.SIGNALLED, signal=11)),
        }
        return broken.get(name) or echo(name)

    events = events_of(tmp_path, FakeSandbox(scripted(behave)))
    assert verdicts(events) == dict(zip(NAMES, ("AC", "AC", "AC", "WA", "RE", "AC"), strict=True))
    assert final(events).verdict is Verdict.WA


def test_the_second_secret_time_limit_stops_it(tmp_path: Path) -> None:
    events = events_of(tmp_path, FakeSandbox(scripted(lambda name: exceeds(Ending.CPU_LIMIT))))
    assert verdicts(events) == dict.fromkeys(NAMES[:4], "TLE")
    assert final(events).verdict is Verdict.TLE
    not_run = [finding for finding in final(events).explanation if finding.code == "not-run"]
    because = Sentence("%(number)s had already been too slow", number=2)
    reasons = [{"cases": 2, "because": "2 had already been too slow", "sentence": because.as_json()}]
    assert not_run[0].evidence == {"not_run": 2, "test_cases": 6, "reasons": reasons}


@pytest.mark.parametrize(
    ("ending", "verdict"),
    [
        (Ending.CPU_LIMIT, "TLE"),
        (Ending.WALL_LIMIT, "TLE"),
        (Ending.MEMORY_LIMIT, "MLE"),
        (Ending.OUTPUT_LIMIT, "OLE"),
        (Ending.SIGNALLED, "RE"),
    ],
)
def test_the_ending_decides_before_the_checker(tmp_path: Path, ending: Ending, verdict: str) -> None:
    def behave(name: str) -> Scripted:
        return replace(exceeds(ending), stdout=CASES[name][1].encode()) if name == "secret/4" else echo(name)

    assert final(events_of(tmp_path, FakeSandbox(scripted(behave)))).verdict == verdict


def test_a_right_answer_with_a_non_zero_exit_is_a_run_time_error(tmp_path: Path) -> None:
    failed = Outcome(ending=Ending.EXITED, exit_code=42)
    events = events_of(tmp_path, FakeSandbox(scripted(lambda name: replace(echo(name), outcome=failed))))
    assert final(events).verdict is Verdict.RE


@pytest.mark.parametrize(
    ("times_us", "verdict", "counts_us"),
    [
        ((1_050_000, 1_080_000, 950_000), "AC", 950_000),
        ((1_140_000, 990_000), "AC", 990_000),
        ((1_100_000, 1_050_000, 1_080_000, 1_090_000), "TLE", 1_050_000),
        ((1_050_000, 1_300_000, 1_300_000, 980_000), "AC", 980_000),
        ((1_240_000, 960_000), "AC", 960_000),
        ((1_260_000,), "TLE", 1_260_000),
        ((940_000,), "AC", 940_000),
    ],
)
def test_a_case_barely_over_the_limit_is_run_again_and_the_fastest_run_counts(
    tmp_path: Path, times_us: tuple[int, ...], verdict: str, counts_us: int
) -> None:
    times = iter(times_us)

    def behave(name: str) -> Scripted:
        if name != "secret/1":
            return echo(name)
        time_us = next(times)
        if time_us > 1_000_000:
            return exceeds(Ending.CPU_LIMIT, time_us)
        return replace(echo(name), outcome=replace(EXITED, usage=Usage(user_time_us=time_us)))

    events = events_of(tmp_path, FakeSandbox(scripted(behave)))
    judged = next(event for event in events if isinstance(event, CaseJudged) and event.name == "secret/1")
    assert (judged.verdict, judged.usage.cpu_time_us) == (verdict, counts_us)
    assert judged.run_times == (times_us if len(times_us) > 1 else ())
    assert next(times, None) is None
    assert final(events).near_limit == ("secret/1" if verdict == "AC" else "")


def test_far_from_the_limit_no_case_is_named_as_near_it(tmp_path: Path) -> None:
    usage = Usage(user_time_us=840_000)
    events = events_of(
        tmp_path, FakeSandbox(scripted(lambda name: replace(echo(name), outcome=replace(EXITED, usage=usage))))
    )
    assert final(events).verdict == "AC"
    assert final(events).near_limit == ""


def slow(name: str) -> Scripted:
    """The third case runs into the limit, the fourth one takes even longer on the clock, the second one is slowest."""
    if name == "secret/1":
        return exceeds(Ending.CPU_LIMIT)
    time_us = 1_900_000 if name == "sample/2" else 10
    return replace(echo(name), outcome=replace(EXITED, usage=Usage(user_time_us=time_us)))


@pytest.mark.parametrize(
    ("policy", "names"),
    [
        (ProfilePolicy.NONE, []),
        (ProfilePolicy.SLOWEST, ["sample/2", "secret/1"]),
        (ProfilePolicy.ALL, list(NAMES)),
    ],
)
def test_the_policy_says_what_is_profiled(tmp_path: Path, policy: ProfilePolicy, names: list[str]) -> None:
    sandbox = FakeSandbox(scripted(slow))
    events = events_of(tmp_path, sandbox, policy)
    assert profiled(events) == names
    assert [f"{c.stdin.parent.name}/{c.stdin.stem}" for c in sandbox.profiled if c.stdin] == names
    assert all(event.result == PROFILE for event in events if isinstance(event, CaseProfiled))


NO_BPF = MeterProblem(code=MeterStop.NOT_ROOT)


def test_without_a_meter_the_verdict_stands_and_the_reason_is_told(tmp_path: Path) -> None:
    events = events_of(tmp_path, FakeSandbox(scripted(echo), meter_problem=NO_BPF), ProfilePolicy.SLOWEST)
    told = [event for event in events if isinstance(event, CaseProfiled)]
    assert [(event.result, event.meter, event.has_meter) for event in told] == [(None, NO_BPF, False)]
    assert final(events).verdict is Verdict.AC


def test_a_program_that_does_not_compile_is_not_run(tmp_path: Path) -> None:
    refused = Scripted(outcome=Outcome(ending=Ending.EXITED, exit_code=1), stderr=b"/program/main.cpp:1: \xff\x00")
    sandbox = FakeSandbox(lambda command, limits: refused)
    events = events_of(tmp_path, sandbox, ProfilePolicy.SLOWEST)
    compiled = events[0]
    assert isinstance(compiled, CompileFinished)
    assert (compiled.ok, compiled.message) == (False, "main.cpp:1: \\xff\N{SYMBOL FOR NULL}")
    assert len(events) == 2
    assert final(events).verdict is Verdict.CE
    assert len(sandbox.commands) == 1


@pytest.mark.parametrize(
    ("compiler", "message"),
    [
        (exceeds(Ending.CPU_LIMIT), "more than 10 s of CPU time"),
        (exceeds(Ending.WALL_LIMIT), "more than 14 s."),
        (exceeds(Ending.MEMORY_LIMIT), "more than 1 GiB of memory"),
        (exceeds(Ending.OUTPUT_LIMIT), "more than 8 MiB of messages"),
        (exceeds(Ending.SIGNALLED), "crashed: SIGKILL (killed) ended it"),
        (Scripted(), "left no program"),
        (Scripted(files={"main": b"!<arch>"}), "not a program"),
        (Scripted(outcome=Outcome(ending=Ending.EXITED, exit_code=3)), "without a message"),
        (Scripted(outcome=Outcome(ending=Ending.EXITED, exit_code=1), stderr=b"x" * 70_000), "[the rest is cut off]"),
    ],
)
def test_whatever_befalls_the_compiler_is_a_compile_error(tmp_path: Path, compiler: Scripted, message: str) -> None:
    events = events_of(tmp_path, FakeSandbox(lambda command, limits: compiler))
    compiled = events[0]
    assert isinstance(compiled, CompileFinished)
    words = str(compile_words(compiled.problem, compiled.message))
    assert message in words
    assert len(words) < 66_000
    assert final(events).verdict is Verdict.CE


def test_samples_show_excerpts_and_secret_cases_nothing(tmp_path: Path) -> None:
    wrong = Scripted(stdout=b"w" * 5_000, stderr=b"debug")
    events = events_of(tmp_path, FakeSandbox(scripted(lambda name: wrong)))
    sample, *_, secret = [event for event in events if isinstance(event, CaseJudged)]
    assert (sample.output, sample.stderr, sample.expected) == (b"w" * 4_096, b"debug", b"0\n")
    assert sample.ending
    assert sample.ending.difference == TokenDifference(number=1, expected="'0'", got=f"'{'w' * 40}'...")
    assert (secret.output, secret.stderr, secret.expected) == (b"", b"", b"")
    assert secret.ending == CaseEnding(how=Ending.EXITED, exit_code=0)
    assert secret.judge_message.startswith("token 1: expected '5'")


@pytest.mark.parametrize(
    ("outcome", "ending", "message"),
    [
        (Outcome(ending=Ending.EXITED, exit_code=49), CaseEnding(how=Ending.EXITED), "exit code 49"),
        (Outcome(ending=Ending.SIGNALLED, signal=50), CaseEnding(how=Ending.SIGNALLED), "killed by signal 50"),
        (
            Outcome(ending=Ending.SIGNALLED, signal=11),
            CaseEnding(how=Ending.SIGNALLED, signal="SIGSEGV"),
            "killed by SIGSEGV (segmentation fault)",
        ),
    ],
)
def test_a_hidden_case_tells_nothing_that_the_program_chose(
    tmp_path: Path, outcome: Outcome, ending: CaseEnding, message: str
) -> None:
    events = events_of(tmp_path, FakeSandbox(scripted(lambda name: Scripted(outcome=outcome))))
    sample, *_, secret = [event for event in events if isinstance(event, CaseJudged)]
    assert sample.ending == end_of(outcome)
    assert (secret.ending, secret.judge_message) == (ending, message)


def test_our_failures_are_raised_and_never_a_verdict(tmp_path: Path) -> None:
    def behave(name: str) -> Scripted:
        raise JailError("the jail is gone")

    with pytest.raises(JailError, match="the jail is gone"):
        events_of(tmp_path, FakeSandbox(scripted(behave)))
    with pytest.raises(UnknownLanguage, match="cobol"):
        events_of(tmp_path, FakeSandbox(scripted(echo)), language="cobol")


def test_a_program_that_the_kernel_does_not_load_is_a_run_time_error(tmp_path: Path) -> None:
    def behave(name: str) -> Scripted:
        raise CommandError("/program/main cannot be started: Cannot allocate memory")

    assert final(events_of(tmp_path, FakeSandbox(scripted(behave)))).verdict is Verdict.RE
    with pytest.raises(CommandError):  # the interpreter is ours
        events_of(tmp_path, FakeSandbox(scripted(behave)), language="python")


def test_everything_of_a_submission_stays_on_its_core(tmp_path: Path) -> None:
    package = make_package(tmp_path / "package", CASES, validator=("v.cpp", "int main() {}"))
    sandbox = FakeSandbox(scripted(echo))
    list(grade(GradingJob(package=package, language="cpp", source=b"source", cpu=1), sandbox, tmp_path / "work"))
    assert [spec.cpu for spec in sandbox.specs] == [1, 1, 1, 1]  # compiler, validator's compiler, validator, program


def test_no_test_cases_is_no_acceptance(tmp_path: Path) -> None:
    job = GradingJob(package=make_package(tmp_path, {}), language="cpp", source=b"source")
    *_, last = grade(job, FakeSandbox(scripted(echo)), tmp_path / "work")
    assert isinstance(last, GradingFinished)
    assert (last.verdict, last.judge_message) == (Verdict.JE, "the package has no test cases")


def test_one_case_is_profiled_on_its_own(tmp_path: Path) -> None:
    job = GradingJob(package=make_package(tmp_path / "package", CASES), language="cpp", source=b"source")
    sandbox = FakeSandbox(scripted(echo))
    told = profile_case(job, "secret/2", sandbox, tmp_path / "work")
    assert told == CaseProfiled(name="secret/2", result=PROFILE)
    assert len(sandbox.profiled) == 1
    with pytest.raises(KeyError):
        profile_case(job, "secret/9", sandbox, tmp_path / "work")


def test_a_profile_pass_has_more_cpu_time_than_the_run_but_no_more_wall_time(tmp_path: Path) -> None:
    given: list[Limits] = []

    def script(command: Command, limits: Limits) -> Scripted:
        given.append(limits)
        return scripted(echo)(command, limits)

    events_of(tmp_path, FakeSandbox(script), ProfilePolicy.ALL)
    _, *limits = given  # the compile step comes first
    runs, passes = limits[: len(CASES)], limits[len(CASES) :]
    assert {limits.cpu_time_ms for limits in passes} == {2 * runs[0].cpu_time_ms}
    assert {limits.wall_time_ms for limits in passes} == {runs[0].wall_time_ms}


def test_a_graded_run_waits_longer_than_the_longest_profile_pass() -> None:
    longest = run_limits(ProblemLimits(time_limit_ms=MOST_TIME_LIMIT_S * 1_000))
    assert longest.wall_time_ms < GRADED_WAIT_MS


def test_why_our_own_profile_pass_failed_is_for_the_log(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    sandbox = FakeSandbox(scripted(echo))

    def fail(command: Command, limits: Limits) -> tuple[Outcome, Profile]:
        raise JailError("the disk of /secret/place is full")

    monkeypatch.setattr(sandbox, "profile", fail)
    events = events_of(tmp_path, sandbox, ProfilePolicy.SLOWEST)
    (told,) = (event for event in events if isinstance(event, CaseProfiled))
    assert (told.result, told.problem) == (None, "The profile pass failed because of an error of ours.")
    assert "/secret/place" in caplog.text
    assert events[-1].verdict is Verdict.AC  # type: ignore[union-attr]
