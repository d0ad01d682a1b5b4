"""`python -m sandbox` with nonsense: one line on stderr, exit code 1, nothing left."""

import os
import subprocess
import sys

import pytest

from sandbox.entry.command_line import main
from tests.sandbox.aftermath import nothing_left
from tests.sandbox.conftest import WORK_ROOT

_MISSING = "No such file or directory (it, or the interpreter that it names)"
_NO_PROGRAM = (
    "Exec format error (a script needs a first line with #!, an executable must be for this machine's architecture)"
)
_STREAM = "cannot open a stream of the run:"


def call(*arguments: str | bytes, stdout: int = subprocess.PIPE) -> "subprocess.CompletedProcess[bytes]":
    command = [sys.executable, "-m", "sandbox", "--work-dir", str(WORK_ROOT), "run", *arguments]
    environment = {name: value for name, value in os.environ.items() if name != "PYTHONUNBUFFERED"}
    return subprocess.run(command, stdout=stdout, stderr=subprocess.PIPE, env=environment, timeout=60, check=False)


@pytest.fixture(scope="module", autouse=True)
def _work_root_and_fork_server_are_there() -> None:
    assert main(["--work-dir", str(WORK_ROOT), "run", "--", "true"]) == 0


@pytest.mark.parametrize(
    ("arguments", "why"),
    [
        (["--cpu-ms", "0"], "cpu_time_ms must be a whole number between 1 and 86400000"),
        (["--cpu-ms", "-5"], "cpu_time_ms must be a whole number between 1 and 86400000"),
        (["--wall-ms", "0"], "wall_time_ms must be a whole number between 1 and 86400000"),
        (["--wall-ms", str(10**30)], "wall_time_ms must be a whole number between 1 and 86400000"),
        (["--memory-mib", "0"], "memory_bytes must be a whole number between 1 and 1099511627776"),
        (["--memory-mib", str(10**12)], "memory_bytes must be a whole number between 1 and 1099511627776"),
        (["--output-mib", "-1"], "output_bytes must be a whole number between 1 and 1099511627776"),
        (["--output-mib", "1048576"], f"the disk of {WORK_ROOT} is full: a run needs 1048849 MiB for its output"),
        (["--processes", "0"], "processes must be a whole number between 1 and 1048576"),
        (["--stdin", "/nowhere"], f"{_STREAM} [Errno 2] No such file or directory: '/nowhere'"),
        (["--stdout", "/etc/passwd"], f"{_STREAM} [Errno 17] File exists: '/etc/passwd'"),
        (["--stdout", "/nowhere/x"], f"{_STREAM} [Errno 2] No such file or directory: '/nowhere/x'"),
    ],
)
def test_an_option_that_makes_no_sense_is_one_sentence(arguments: list[str], why: str) -> None:
    with nothing_left(WORK_ROOT):
        done = call(*arguments, "--", "true")
    assert (done.returncode, done.stdout) == (1, b"")
    assert done.stderr.decode() == f"sandbox: {why}\n"


@pytest.mark.parametrize(
    ("program", "why"),
    [
        (b"", f"'' cannot be started: {_MISSING}"),
        (b"no\nwhere", f"'no\\nwhere' cannot be started: {_MISSING}"),
        (b"/\xff", f"'/\\udcff' cannot be started: {_MISSING}"),
        (b"/", "/ cannot be started: Permission denied"),
        (b"/usr", "/usr cannot be started: Permission denied"),
        (b"/etc/passwd", f"/program/passwd cannot be started: {_NO_PROGRAM}"),
    ],
)
def test_a_program_that_cannot_be_started_is_one_sentence(program: bytes, why: str) -> None:
    with nothing_left(WORK_ROOT):
        done = call("--", program)
    assert (done.returncode, done.stdout) == (1, b"")
    assert done.stderr.decode() == f"sandbox: {why}\n"


def test_a_program_with_too_long_a_name_is_one_sentence() -> None:
    with nothing_left(WORK_ROOT):
        done = call("--", "/" + "n" * 5_000)
    assert (done.returncode, done.stdout, done.stderr.count(b"\n")) == (1, b"", 1)
    assert done.stderr.startswith(b"sandbox: [Errno 36] File name too long: ")


@pytest.mark.parametrize("options", [["--json"], []])
@pytest.mark.parametrize("target", ["/dev/full", "closed pipe"])
def test_an_output_that_takes_nothing_is_one_sentence(options: list[str], target: str) -> None:
    reader, writer = os.pipe()
    os.close(reader)
    stdout = writer if target == "closed pipe" else os.open(target, os.O_WRONLY)
    with nothing_left(WORK_ROOT):
        done = call(*options, "--tools", "--", "echo", "hello", stdout=stdout)
    for descriptor in {writer, stdout}:
        os.close(descriptor)
    why = "[Errno 32] Broken pipe" if target == "closed pipe" else "[Errno 28] No space left on device"
    assert (done.returncode, done.stderr.decode()) == (1, f"sandbox: {why}\n")


def test_empty_and_odd_arguments_arrive() -> None:
    done = call("--tools", "--", "printf", "<%s>", "", b"\xff", "a\nb", "-x")
    assert (done.returncode, done.stdout) == (0, b"<><\xff><a\nb><-x>")


@pytest.mark.parametrize(
    ("arguments", "why"),
    [
        (["--", "/bin/echo", "a\0b"], "an argument, variable or name must not hold a NUL byte"),
        (["--", "/bin/ec\0ho"], "an argument, variable or name must not hold a NUL byte"),
        (["--stdin", "a\0b", "--", "true"], f"{_STREAM} embedded null byte"),
        (["--stdout", "a\0b", "--", "true"], f"{_STREAM} embedded null byte"),
    ],
)
def test_nul_bytes_are_refused(arguments: list[str], why: str, capsys: pytest.CaptureFixture[str]) -> None:
    with nothing_left(WORK_ROOT):
        assert main(["--work-dir", str(WORK_ROOT), "run", *arguments]) == 1
    assert capsys.readouterr() == ("", f"sandbox: {why}\n")
