"""`manage.py verify` that does not come to its end: what it measured is printed, the exit code says why it ended."""

import io
import json
import os
import shutil
import signal
import subprocess
import sys
from contextlib import _GeneratorContextManager
from pathlib import Path
from typing import Any

import pytest
from django.core.management import call_command

from judge.grading.events import CaseJudged
from judge.grading.verdicts import Verdict
from judge.grading.verification.verification import open_verification
from judge.grading.verification.verified import Step
from judge.management import terminal
from judge.management.terminal import EVERY_S, ProgressLine, Stopped
from problems.translation import Sentence
from sandbox.errors import JailError
from sandbox.jail.jail import OpenJail
from sandbox.jail.nsjail import NsjailSandbox
from sandbox.types import IoProfile, JailSpec, Usage
from tests.judge.juries import SUM as SUMS, with_submissions
from tests.judge.management.test_commands import LIBRARY, NOWHERE, ROOT
from tests.judge.packages import make_package

SUM = LIBRARY / "sumoftwo"
GENEROUS_YAML = """
problem_format_version: 2025-09
name: Sum
uuid: 1b6d6f19-105f-4b3b-9c31-e87a7524d243
limits: {time_limit: 100}
"""


class FailingSandbox(NsjailSandbox):
    """The real one until the jails are used up."""

    left = 8

    def open_jail(self, spec: JailSpec) -> _GeneratorContextManager[OpenJail]:
        """One jail fewer."""
        self.left -= 1
        if self.left < 0:
            raise JailError("nsjail went away")
        return super().open_jail(spec)


def verified(monkeypatch: pytest.MonkeyPatch, work_root: Path, left: int, *flags: str) -> tuple[int, str, str]:
    sandbox = FailingSandbox(work_root)
    sandbox.left = left
    monkeypatch.setattr(terminal, "open_sandbox", lambda: (sandbox, work_root))
    out, err = io.StringIO(), io.StringIO()
    with pytest.raises(SystemExit) as end:
        call_command("verify", str(SUM), *flags, stdout=out, stderr=err)
    assert isinstance(end.value.code, int)
    return end.value.code, out.getvalue(), err.getvalue()


@pytest.mark.thorough
def test_a_failure_of_the_sandbox_keeps_what_was_measured(
    monkeypatch: pytest.MonkeyPatch, sandbox: NsjailSandbox, work_root: Path
) -> None:
    code, out, err = verified(monkeypatch, work_root, 8, "--json")
    answer = json.loads(out)
    assert code == 3
    assert (answer["ok"], answer["complete"], answer["errors"]) == (False, False, [])
    assert answer["stopped"] == "the sandbox failed: nsjail went away"
    verdicts = [one["verdict"] for one in answer["submissions"]]
    assert "AC" in verdicts
    assert None in verdicts
    assert all(one["ok"] for one in answer["submissions"])
    assert "the sandbox failed: nsjail went away" in err


def test_people_see_that_it_is_a_part(monkeypatch: pytest.MonkeyPatch, sandbox: NsjailSandbox, work_root: Path) -> None:
    code, out, err = verified(monkeypatch, work_root, 8)
    assert code == 3
    assert "INCOMPLETE: the sandbox failed: nsjail went away; this is what was found until then" in out
    assert "not all was tried: the sandbox failed" in err


def test_a_sandbox_that_never_worked_gives_json_too(monkeypatch: pytest.MonkeyPatch) -> None:
    def fail() -> Any:
        raise JailError("there is no nsjail")

    monkeypatch.setattr(terminal, "open_sandbox", fail)
    out = io.StringIO()
    with pytest.raises(SystemExit) as end:
        call_command("verify", str(SUM), "--json", stdout=out, stderr=io.StringIO())
    assert end.value.code == 3
    answer = json.loads(out.getvalue())
    assert (answer["submissions"], answer["ok"], answer["complete"]) == ([], False, False)
    assert answer["stopped"] == "the sandbox failed: there is no nsjail"


def endless(folder: Path) -> Path:
    """A package whose second submission runs for minutes."""
    package = Path(shutil.copytree(SUM, folder / "endless"))
    shutil.rmtree(package / "submissions")
    for name, source in {
        "accepted/a.py": "print(sum(map(int, input().split())))\n",
        "time_limit_exceeded/b.py": "x = input()\nif x != '1 2': print(1)\nwhile True: pass\n",
    }.items():
        path = package / "submissions" / name
        path.parent.mkdir(parents=True)
        path.write_text(source)
    (package / "problem.yaml").write_text(GENEROUS_YAML)
    return package


@pytest.mark.parametrize(("number", "code"), [(signal.SIGINT, 130), (signal.SIGTERM, 143)])
def test_an_interrupted_verification_prints_what_it_measured(
    tmp_path: Path, sandbox: NsjailSandbox, number: signal.Signals, code: int
) -> None:
    for folder in (tmp_path, *tmp_path.parents[:2]):
        folder.chmod(0o755)
    with subprocess.Popen(
        [sys.executable, "manage.py", "verify", str(endless(tmp_path))],
        cwd=ROOT,
        env={**os.environ, **NOWHERE},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    ) as process:
        assert process.stdout is not None
        first = process.stdout.readline()
        process.send_signal(number)
        out, err = process.communicate(timeout=100)
    assert first.startswith("ok      accepted/a.py")
    assert process.returncode == code
    assert f"INCOMPLETE: it was interrupted ({number.name}); this is what was found until then" in out
    assert "slowest in time: accepted/a.py" in out
    assert f"not all was tried: it was interrupted ({number.name})" in err
    assert "Traceback" not in err


def test_of_the_submission_that_was_running_its_cases_are_kept(
    tmp_path: Path, sandbox: NsjailSandbox, work_root: Path
) -> None:
    cases = {"secret/1": ("1 2\n", "3\n"), "secret/2": ("2 2\n", "4\n"), "secret/3": ("3 2\n", "5\n")}
    package = with_submissions(make_package(tmp_path, cases), {"accepted/a.py": SUMS, "accepted/b.py": SUMS})
    told: list[str] = []

    def watch(judged: CaseJudged) -> None:
        told.append(judged.name)
        if len(told) == len(cases) + 2:
            raise Stopped(signal.SIGINT)

    with open_verification(package, sandbox, work_root, watch=watch) as going:
        with pytest.raises(Stopped):
            list(going.run())
        report = going.report(Sentence("it was interrupted"))
    first, second = report.submissions
    assert (first.verdict, first.problems) == (Verdict.AC, ())
    assert (second.verdict, second.problems, len(second.cases)) == (None, (), 2)
    assert second.text == "broken off after 2 test cases of 3: it was interrupted"
    assert second.max_cpu_time_us > 0


class Terminal(io.StringIO):
    """A terminal that keeps what is written."""

    def isatty(self) -> bool:
        """It is one."""
        return True


def case(name: str) -> CaseJudged:
    return CaseJudged(
        name=name,
        is_sample=False,
        verdict=Verdict.AC,
        usage=Usage(),
        io=IoProfile(),
        exit_code=0,
        signal=None,
        stdout_bytes=0,
        stderr_bytes=0,
    )


def test_progress_is_a_line_now_and_then_where_nobody_looks() -> None:
    now = 0.0
    out = io.StringIO()
    line = ProgressLine(out, lambda: now)
    line.step(Step(phase="submissions", name="submissions/accepted/a.py", done=2, total=9))
    for number in range(1, 36):
        now += 1
        line.case(case(f"secret/{number}"))
    line.clear()
    assert out.getvalue().splitlines() == [
        f"0:{seconds} submissions 2/9  submissions/accepted/a.py: secret/{seconds}, test case {seconds}"
        for seconds in (int(EVERY_S), int(2 * EVERY_S), int(3 * EVERY_S))
    ]


def test_progress_on_a_terminal_is_one_line_that_changes() -> None:
    out = Terminal()
    line = ProgressLine(out, lambda: 0.0)
    line.step(Step(phase="inputs", name="data/secret/1.in", done=1, total=2))
    line.clear()
    assert out.getvalue().count("\n") == 0
    assert out.getvalue().startswith("\r0:00 inputs 1/2  data/secret/1.in ")
    assert out.getvalue().endswith("\r")
