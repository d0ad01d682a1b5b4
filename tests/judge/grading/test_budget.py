"""Limits on read and write calls: right answers in too many calls are SLE, and no noise decides about it."""

from dataclasses import replace
from pathlib import Path

import pytest

from judge.grading.case_ending import CallExcess, CaseEnding
from judge.grading.events import CaseJudged, GradingFinished, GradingJob, ProfilePolicy
from judge.grading.languages import PYTHON
from judge.grading.submission.budget import LEAST_ROOM, CallBudget, budget_of, judged_by
from judge.grading.submission.grading import grade
from judge.grading.verdicts import Verdict
from problems.package import JurySubmission, Package, ProblemLimits
from sandbox.errors import SandboxError
from sandbox.jail.nsjail import NsjailSandbox
from sandbox.types import Ending, IoProfile, Usage
from tests.judge.packages import LIMITS, make_package
from tests.judge.spoken import spoken

LINES = 300
CASES = {"sample/1": ("2\n", "0\n1\n"), "secret/1": (f"{LINES}\n", "".join(f"{i}\n" for i in range(LINES)))}
GATHERED = b"for i in range(int(input())):\n    print(i)\n"
FLUSHED = b"for i in range(int(input())):\n    print(i, flush=True)\n"
WRONG = b"for i in range(int(input())):\n    print(7, flush=True)\n"


def verdict_of(package: Package, source: bytes, sandbox: NsjailSandbox, work_root: Path) -> tuple[str, GradingFinished]:
    job = GradingJob(package=package, language="python", source=source, profile=ProfilePolicy.NONE)
    events = list(grade(job, sandbox, work_root))
    last = events[-1]
    assert isinstance(last, GradingFinished)
    return " ".join(event.verdict for event in events if isinstance(event, CaseJudged)), last


def with_jury(package: Package, source: bytes) -> Package:
    path = package.path / "submissions" / "accepted" / "jury.py"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(source)
    jury = JurySubmission(path=path, name="accepted/jury.py", language="python", expected=frozenset({"AC"}))
    return replace(package, submissions=(jury,), digest=f"{len(source):064}")


def test_right_answers_in_too_many_writes_are_sle(tmp_path: Path, sandbox: NsjailSandbox, work_root: Path) -> None:
    package = make_package(tmp_path, CASES, limits=replace(LIMITS, write_calls=100))
    verdicts, finished = verdict_of(package, FLUSHED, sandbox, work_root)
    assert (verdicts, finished.verdict) == ("AC SLE", Verdict.SLE)
    summary = spoken(finished.explanation, PYTHON)["summary"]
    assert "made 300 write calls of 3.6 bytes on average, more than are allowed." in summary.text
    assert verdict_of(package, GATHERED, sandbox, work_root)[0] == "AC AC"
    assert verdict_of(package, WRONG, sandbox, work_root)[0].startswith("WA")


def test_factor_is_of_what_the_jury_makes_on_the_same_case(
    tmp_path: Path, sandbox: NsjailSandbox, work_root: Path
) -> None:
    limits = replace(LIMITS, write_factor=1.5)
    gathered = with_jury(make_package(tmp_path, CASES, limits=limits), GATHERED)
    assert verdict_of(gathered, FLUSHED, sandbox, work_root)[0] == "AC SLE"
    flushed = with_jury(gathered, FLUSHED)
    assert verdict_of(flushed, FLUSHED, sandbox, work_root)[0] == "AC AC"
    (flushed.path / "submissions" / "accepted" / "jury.py").write_bytes(WRONG)
    assert verdict_of(replace(flushed, digest="f" * 64), FLUSHED, sandbox, work_root)[1].verdict is Verdict.JE


IMPORTS = b"import collections, decimal, heapq, itertools, random, re\n"
CPP = b"""#include <iostream>
int main() { int n; std::cin >> n; for (int i = 0; i < n; i++) std::cout << i << '\\n'; }
"""


def test_factor_asks_no_more_of_other_languages_and_imports(
    tmp_path: Path, sandbox: NsjailSandbox, work_root: Path
) -> None:
    package = make_package(tmp_path, CASES, limits=replace(LIMITS, write_factor=1.5))
    path = tmp_path / "jury.cpp"
    path.write_bytes(CPP)
    jury = JurySubmission(path=path, name="accepted/jury.cpp", language="cpp", expected=frozenset({"AC"}))
    package = replace(package, submissions=(jury,), digest="e" * 64)
    assert verdict_of(package, IMPORTS + GATHERED, sandbox, work_root)[0] == "AC AC"
    assert verdict_of(package, IMPORTS + FLUSHED, sandbox, work_root)[0] == "AC SLE"


def test_reference_without_time_is_no_fault_of_the_package(
    tmp_path: Path, sandbox: NsjailSandbox, work_root: Path
) -> None:
    package = with_jury(make_package(tmp_path, CASES, limits=replace(LIMITS, write_factor=1.5)), b"while True: pass\n")
    package = replace(package, limits=replace(package.limits, time_limit_ms=100))
    with pytest.raises(SandboxError, match="ran out of time"):
        verdict_of(package, GATHERED, sandbox, work_root)


def test_reference_is_run_once(
    tmp_path: Path, sandbox: NsjailSandbox, work_root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    package = with_jury(make_package(tmp_path, CASES, limits=replace(LIMITS, write_factor=1.5)), GATHERED)
    first = verdict_of(package, FLUSHED, sandbox, work_root)[0]
    monkeypatch.setattr("judge.grading.submission.budget.counts_of", lambda *_: pytest.fail("it was run again"))
    assert verdict_of(package, FLUSHED, sandbox, work_root)[0] == first == "AC SLE"


def test_factor_without_a_reference_blames_the_package(tmp_path: Path, sandbox: NsjailSandbox, work_root: Path) -> None:
    package = make_package(tmp_path, CASES, limits=replace(LIMITS, write_factor=1.5))
    _, finished = verdict_of(package, GATHERED, sandbox, work_root)
    assert finished.verdict is Verdict.JE
    assert "need a reference" in finished.judge_message


def test_smaller_bound_counts_and_a_factor_leaves_room() -> None:
    made = IoProfile(write_calls=4, read_calls=100)
    assert budget_of(ProblemLimits(), None) == CallBudget()
    assert budget_of(ProblemLimits(write_calls=9), None) == CallBudget(writes=9)
    assert budget_of(ProblemLimits(write_factor=1.5), made) == CallBudget(writes=4 + LEAST_ROOM)
    assert budget_of(ProblemLimits(write_factor=1.5, write_calls=9), made) == CallBudget(writes=9)


@pytest.mark.parametrize(("is_sample", "tells"), [(True, True), (False, False)])
def test_count_of_a_hidden_case_is_told_to_staff_only(is_sample: bool, tells: bool) -> None:
    case = CaseJudged(
        name="x",
        is_sample=is_sample,
        verdict=Verdict.AC,
        usage=Usage(),
        io=IoProfile(write_calls=12_345),
        exit_code=0,
        signal=None,
        stdout_bytes=0,
        stderr_bytes=0,
    )
    judged = judged_by(case, CallBudget(writes=2_000))
    numbers = {"made": 12_345, "most": 2_000} if tells else {}
    assert judged.ending == CaseEnding(how=Ending.EXITED, exit_code=0, calls=CallExcess(what="write", **numbers))
    assert (judged.verdict, judged.too_many) == (Verdict.SLE, "write")
    assert "12,345 write calls where at most 2,000 are allowed" in judged.judge_message
    assert judged_by(case, CallBudget(writes=12_345)) == case
    assert judged_by(replace(case, verdict=Verdict.WA), CallBudget(writes=1)).verdict is Verdict.WA
