"""Students' work goes before a verification's, between any two programs; and a verification comes to an end."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from judge.grading.verification import Step, SubmissionVerified, VerificationReport, verify
from judge.grading.verification.pace import OutOfTime, Pace
from problems.package import Package
from sandbox.nsjail import NsjailSandbox
from sandbox.types import Command, Jail, JailSpec, Limits, Outcome
from tests.judge.juries import NUMBERS, SUM, with_submissions, with_validators
from tests.judge.packages import make_package


@dataclass
class Clock:
    """Stands in for the time of the host."""

    now_s: float = 0.0

    def monotonic(self) -> float:
        return self.now_s

    def wait(self, seconds: float) -> None:
        self.now_s += seconds


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> Clock:
    clock = Clock()
    monkeypatch.setattr("judge.grading.verification.pace.time", clock)
    return clock


def test_the_time_that_others_take_is_not_counted(clock: Clock) -> None:
    pace = Pace(partial(clock.wait, 100), most_s=60)
    for _ in range(6):
        clock.now_s += 10
        pace.pause()
    clock.now_s += 1
    with pytest.raises(OutOfTime, match="it had gone on for 1 minutes"):
        pace.pause()


def package_of(folder: Path) -> Package:
    package = with_submissions(make_package(folder), {"accepted/a.py": SUM, "accepted/b.py": SUM})
    return with_validators(package, {"numbers.py": NUMBERS})


class WatchedJail:
    """A real jail; notes each run in `story`."""

    def __init__(self, jail: Jail, story: list[str]) -> None:
        self._jail = jail
        self._story = story

    def run(self, command: Command, limits: Limits) -> Outcome:
        self._story.append("run")
        return self._jail.run(command, limits)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._jail, name)


class WatchedSandbox:
    """The real sandbox with watched jails."""

    def __init__(self, sandbox: NsjailSandbox) -> None:
        self._sandbox = sandbox
        self.story: list[str] = []

    @contextmanager
    def open_jail(self, spec: JailSpec) -> Iterator[Any]:
        with self._sandbox.open_jail(spec) as jail:
            yield WatchedJail(jail, self.story)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._sandbox, name)


def test_others_may_go_first_between_any_two_programs(tmp_path: Path, sandbox: NsjailSandbox, work_root: Path) -> None:
    watched = WatchedSandbox(sandbox)
    between = partial(watched.story.append, "pause")
    *told, report = verify(package_of(tmp_path), watched, work_root, between=between)
    assert isinstance(report, VerificationReport)
    assert report.errors == ()
    assert "unbuffered" in {event.phase for event in told if isinstance(event, Step)}
    turns = "".join(word[0] for word in watched.story).split("p")  # "", "r", "rr": the runs between two pauses
    assert sum(map(len, turns)) >= 3 + 2 * 3 + 6
    assert max(map(len, turns)) <= 3  # printing both ways, with the compiler before the first


@pytest.mark.parametrize("runs", [0, 2, 7])
def test_what_is_left_when_the_time_is_over_is_not_run(
    tmp_path: Path, runs: int, clock: Clock, sandbox: NsjailSandbox, work_root: Path
) -> None:
    told = []
    for event in verify(package_of(tmp_path), sandbox, work_root, most_s=60):
        told.append(event)
        if len(told) > runs:
            clock.now_s += 61
    report = told[-1]
    assert isinstance(report, VerificationReport)
    assert "verification: it had gone on for 1 minutes; the rest is not run" in report.errors
    assert [one.submission.name for one in report.submissions] == ["accepted/a.py", "accepted/b.py"]
    assert report.submissions[-1].verdict is None
    assert report.submissions[-1].problems == ("it had gone on for 1 minutes",)
    assert not report.unbuffered.forecasts
    assert [event.submission for event in told if isinstance(event, SubmissionVerified)] == [
        one.submission for one in report.submissions
    ]
