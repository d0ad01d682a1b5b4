"""`python -m sandbox`, as a stranger would type it."""

import json
import subprocess
import sys
from pathlib import Path

from tests.sandbox.conftest import WORK_ROOT


def call(*arguments: str) -> "subprocess.CompletedProcess[str]":
    command = [sys.executable, "-m", "sandbox", "--work-dir", str(WORK_ROOT), *arguments]
    return subprocess.run(command, capture_output=True, text=True, timeout=60, check=False)


def test_run_prints_the_outcome_as_json() -> None:
    done = call("run", "--cpu-ms", "1000", "--memory-mib", "256", "--json", "--tools", "--", "/bin/echo", "hello")
    outcome = json.loads(done.stdout)
    assert (done.returncode, outcome["ending"], outcome["stdout_bytes"], outcome["profile"]) == (0, "exited", 6, None)
    assert outcome["usage"]["cpu_time_us"] == outcome["usage"]["user_time_us"] + outcome["usage"]["system_time_us"]


def test_run_passes_the_output_on_and_reports_on_stderr() -> None:
    done = call("run", "--tools", "--", "echo", "hello")
    assert (done.returncode, done.stdout) == (0, "hello\n")
    assert "CPU time" in done.stderr


def test_run_shows_one_program_under_each_kind_of_stdout() -> None:
    loop = "import sys\nfor i in range(9): print(i, file=sys.stdout)"
    writes = {}
    for destination in ("file", "pipe", "terminal"):
        done = call("run", "--json", "--destination", destination, "--", "/usr/bin/python3", "-I", "-c", loop)
        writes[destination] = json.loads(done.stdout)["io"]["write_calls"]
    assert writes == {"file": 1, "pipe": 1, "terminal": 9}


def test_run_takes_a_program_from_anywhere(tmp_path: Path) -> None:
    script = tmp_path / "program"
    script.write_text("#!/bin/sh\nexit 7\n")
    done = call("run", "--json", "--tools", "--", str(script))
    assert json.loads(done.stdout)["exit_code"] == 7


def test_run_counts_calls_by_name_on_request() -> None:
    done = call("run", "--profile", "--json", "--tools", "--", "/bin/echo", "hello")
    profile = json.loads(done.stdout)["profile"]
    assert profile["syscalls"]["execve"] == 1
    assert profile["streams"]["stdout"] == {"calls": 1, "bytes": 6}


def test_a_pair_passes_on_what_both_say_on_stderr_and_reports_who_ended_first() -> None:
    asks = "import sys; print(20, flush=True); print('heard', input(), file=sys.stderr)"
    answers = "import sys; print(int(input()) + 1, flush=True); sys.stdin.read()"  # until the other one is gone
    python = ("--", "/usr/bin/python3", "-c")
    done = call("pair", "--profile", *python, answers, *python, asks)
    assert (done.returncode, done.stdout) == (0, "")
    said = done.stderr.splitlines()
    assert said[:3] == ["heard 21", "interactor ended first", "program    exited"]
    assert {"program    stdout     1 calls, 3 bytes", "program               1  execve"} <= {*said}


def test_the_work_folder_can_be_named_before_and_after_the_verb() -> None:
    missing = "/proc/nowhere"
    for words in (["--work-dir", missing, "run"], ["run", "--work-dir", missing]):
        done = subprocess.run([sys.executable, "-m", "sandbox", *words, "--", "true"], capture_output=True, check=False)
        assert done.stderr.startswith(b"sandbox: cannot make the work folder /proc/nowhere: ")


def test_a_time_limit_is_an_outcome_and_not_a_failure() -> None:
    done = call("run", "--cpu-ms", "100", "--json", "--tools", "--", "sh", "-c", "while :; do :; done")
    assert (done.returncode, json.loads(done.stdout)["ending"]) == (0, "cpu_limit")


def test_the_memory_of_a_program_over_its_limit_is_explained() -> None:
    done = call("run", "--memory-mib", "32", "--", "/usr/bin/python3", "-c", "kept = bytearray(10**9)")
    assert (done.returncode, "memory limit of 32 MiB" in done.stderr) == (0, True)
    (line,) = [line for line in done.stderr.splitlines() if line.startswith("memory  ")]
    assert line.endswith(" when it was stopped: the kernel's limit is higher than this one by the room for its output")
    line = next(
        line for line in call("run", "--", "/usr/bin/python3", "-c", "").stderr.splitlines() if "memory" in line
    )
    assert line.endswith(" MiB at most")


def test_what_cannot_be_started_is_one_sentence_and_exit_code_1() -> None:
    done = call("run", "--", "/nowhere/program")
    assert (done.returncode, done.stdout) == (1, "")
    why = "No such file or directory (it, or the interpreter that it names)"
    assert done.stderr == f"sandbox: /nowhere/program cannot be started: {why}\n"


def test_a_program_of_the_host_that_jails_do_not_show_is_named_with_the_remedy() -> None:
    done = call("run", "--", "head", "/dev/null")
    assert (done.returncode, done.stdout) == (1, "")
    assert done.stderr.startswith("sandbox: /usr/bin/head cannot be started: ")
    assert done.stderr.endswith("; a jail shows only runtimes, or all of /usr with --tools\n")


def test_wrong_usage_is_exit_code_2() -> None:
    assert call("run").returncode == 2
    assert call("run", "--cpu-ms", "soon", "--", "true").returncode == 2
    alone = call("pair", "--", "true")
    assert (alone.returncode, "a pair is two programs" in alone.stderr) == (2, True)
    alike = call("run", "--file", "a/x", "--file", "b/x", "--", "true")
    assert (alike.returncode, "each --file needs a name of its own" in alike.stderr) == (2, True)


def test_doctor_prints_its_findings() -> None:
    done = call("doctor", "--json")
    assert done.returncode == 0
    assert all(check["ok"] for check in json.loads(done.stdout) if check["needed"])


def test_signals_that_the_caller_ignores_are_not_ignored_in_the_jail() -> None:
    run = f"{sys.executable} -m sandbox --work-dir {WORK_ROOT} run --tools -- grep SigIgn /proc/self/status"
    command = f"trap '' INT QUIT HUP; exec {run}"
    done = subprocess.run(["sh", "-c", command], capture_output=True, text=True, timeout=60, check=True)
    assert done.stdout.split() == ["SigIgn:", "0000000000000000"]
