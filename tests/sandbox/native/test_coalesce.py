"""The coalescing preload: what arrives on either output is the same to the byte, in a handful of writes."""

import os
import re
import subprocess
import sys
from collections import Counter
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path

import pytest

from tests.sandbox.metered import PATIENCE_S, PROGRAMS, compiled

PRELOAD = Path(__file__).parents[3] / "sandbox" / "native" / "build" / "coalesce.so"
HANDFUL = 10
UNKNOWN_ROAD = 99
THREAD_NUMBER = re.compile(rb"\(\d+\)")  # in the message of a panic

# Roads on which somebody else may write to the same file: the same bytes, but no promise about the number of writes.
SHARED_ROADS = ["forks", "vforks", "runs_others", "becomes_another", "execl_two", "redirects", "opens_again"]
OTHER_ROADS = ["wide", "with_errors", "handles_its_crash", "reopens", "explains", "to_exit_of_both_threads"]
FILE_ROADS = ["positions", "handler_in_between", "to_double_free"]  # a pipe has no positions and cannot be cut
BOTH_AT_ONCE = ["with_errors"]  # the test gives both streams one file
OUTPUTS = {"stdout": 1, "stderr": 2}
GATHERED_ROADS = [
    "prints",
    "mixed",
    "unbuffered",
    "large",
    "to_underscore_exit",
    "to_exit_group",
    "to_exit_of_the_thread",
    "to_exit",
    "to_quick_exit",
    "to_abort",
    "to_crash",
    "to_overflow",
    "to_terminate",
    "closes",
    "closes_stream",
    "reads",
    "sets_buffer",
    "to_assertion",
]


@dataclass(frozen=True)
class Run:
    """How a program ended and what it left."""

    exit_status: int
    stdout: bytes
    stderr: bytes
    files: dict[str, bytes]


@pytest.fixture(scope="module")
def roads(tmp_path_factory: pytest.TempPathFactory) -> str:
    return compiled("roads.c", tmp_path_factory.mktemp("roads"))


@pytest.fixture(scope="module")
def cpp(tmp_path_factory: pytest.TempPathFactory) -> str:
    return compiled("coalesced.cpp", tmp_path_factory.mktemp("cpp"))


@pytest.fixture(scope="module")
def rust(tmp_path_factory: pytest.TempPathFactory) -> str:
    target = tmp_path_factory.mktemp("rust") / "coalesced"
    subprocess.run(["rustc", "-O", "-o", target, PROGRAMS / "coalesced.rs"], check=True)
    return str(target)


def run(
    argv: list[str],
    folder: Path,
    *,
    preload: bool,
    one_file: bool = False,
    pipe: str = "",
    before: Callable[[], None] | None = None,
) -> Run:
    """Run in a fresh folder; each output goes to a file, or the one that `pipe` names to a pipe, or both to one."""
    folder.mkdir()
    given = folder / "in"
    given.write_text("".join(f"line {number}\n" for number in range(3000)))
    environment = {"PATH": os.environ["PATH"]} | ({"LD_PRELOAD": str(PRELOAD)} if preload else {})
    with given.open() as stdin, (folder / "out").open("wb") as out, (folder / "err").open("wb") as err:
        ended = subprocess.run(
            argv,
            cwd=folder,
            env=environment,
            stdin=stdin,
            stdout=subprocess.PIPE if pipe == "stdout" else out,
            stderr=subprocess.STDOUT if one_file else subprocess.PIPE if pipe == "stderr" else err,
            timeout=PATIENCE_S,
            check=False,
            preexec_fn=before,
        )
    files = {path.name: path.read_bytes() for path in folder.iterdir() if path.name not in ("in", "out", "err")}
    stdout = ended.stdout or (folder / "out").read_bytes()
    stderr = THREAD_NUMBER.sub(b"", ended.stderr or (folder / "err").read_bytes())
    return Run(ended.returncode, stdout, stderr, files)


def writes_to(output: str, argv: list[str], folder: Path) -> int:
    """How often the preloaded program really writes to the output."""
    calls = tuple(f"{name}({OUTPUTS[output]}," for name in ("write", "writev"))
    folder.mkdir(exist_ok=True)
    trace = folder / "trace"
    strace = ["strace", "-f", "-e", "trace=write,writev", "-e", "signal=none", "-E", f"LD_PRELOAD={PRELOAD}"]
    with (folder / "in").open("wb") as given:
        given.write(b"".join(b"line %d\n" % number for number in range(3000)))
    with (folder / "in").open() as stdin, (folder / "out").open("wb") as out, (folder / "err").open("wb") as err:
        subprocess.run(
            [*strace, "-o", trace, *argv],
            cwd=folder,
            stdin=stdin,
            stdout=out,
            stderr=err,
            timeout=PATIENCE_S,
            check=False,
        )
    return sum(call.split(maxsplit=1)[1].startswith(calls) for call in trace.read_text().splitlines())


def assert_same(argv: list[str], folder: Path, *, one_file: bool = False, pipe: str = "") -> Run:
    native = run(argv, folder / "native", preload=False, one_file=one_file, pipe=pipe)
    gathered = run(argv, folder / "gathered", preload=True, one_file=one_file, pipe=pipe)
    assert gathered == native
    assert native.stdout or native.stderr
    return native


def assert_same_on(output: str, road: str, roads: str, folder: Path, *, pipe: bool = False) -> None:
    argv = [roads, road, str(OUTPUTS[output])]
    native = assert_same(argv, folder, one_file=road in BOTH_AT_ONCE, pipe=output if pipe else "")
    assert native.exit_status != UNKNOWN_ROAD
    assert native.stdout if output == "stdout" or road in BOTH_AT_ONCE else native.stderr


def assert_handful(argv: list[str], folder: Path, outputs: Iterable[str] = OUTPUTS) -> None:
    for output in outputs:
        assert 1 <= writes_to(output, argv, folder / output) <= HANDFUL


@pytest.mark.parametrize("output", OUTPUTS)
@pytest.mark.parametrize("road", [*GATHERED_ROADS, *SHARED_ROADS, *OTHER_ROADS, *FILE_ROADS])
def test_in_a_file_output_and_end_are_the_same(road: str, output: str, roads: str, tmp_path: Path) -> None:
    assert_same_on(output, road, roads, tmp_path)


@pytest.mark.parametrize("output", OUTPUTS)
@pytest.mark.parametrize("road", [*GATHERED_ROADS, *SHARED_ROADS, *OTHER_ROADS])
def test_through_a_pipe_output_and_end_are_the_same(road: str, output: str, roads: str, tmp_path: Path) -> None:
    assert_same_on(output, road, roads, tmp_path, pipe=True)


@pytest.mark.parametrize("output", OUTPUTS)
@pytest.mark.parametrize("road", GATHERED_ROADS)
def test_small_writes_become_a_handful(road: str, output: str, roads: str, tmp_path: Path) -> None:
    assert_handful([roads, road, str(OUTPUTS[output])], tmp_path, [output])


def test_outputs_that_are_one_pipe_are_not_gathered(roads: str, tmp_path: Path) -> None:
    assert_same([roads, "with_errors"], tmp_path, one_file=True, pipe="stdout")


@pytest.mark.parametrize("output", OUTPUTS)
def test_threads_write_whole_pieces(output: str, roads: str, tmp_path: Path) -> None:
    argv = [roads, "threads", str(OUTPUTS[output])]
    gathered = run(argv, tmp_path / "gathered", preload=True)
    lines = getattr(gathered, output).splitlines()
    assert Counter(lines) == {letter * 9: 5000 for letter in (b"a", b"b", b"c", b"d")}
    assert_handful(argv, tmp_path, [output])


@pytest.mark.parametrize("way", ["synchronised", "unsynchronised", "thrown", "clog"])
def test_cpp_endl_and_cerr(way: str, cpp: str, tmp_path: Path) -> None:
    assert_same([cpp, way], tmp_path)
    assert_handful([cpp, way], tmp_path)


@pytest.mark.parametrize("way", ["ends", "exits", "panics", "aborts", "crashes", "overflows"])
def test_rust_println_and_eprintln(way: str, rust: str, tmp_path: Path) -> None:
    assert_same([rust, way], tmp_path)
    assert_handful([rust, way], tmp_path)


@pytest.mark.parametrize("way", ["flushed", "raw", "by_descriptor", "raising", "killed_by_itself"])
def test_python_flushed_and_unbuffered(way: str, tmp_path: Path) -> None:
    argv = [sys.executable, "-I", str(PROGRAMS / "coalesced.py"), way]
    assert_same(argv, tmp_path)
    assert_handful(argv, tmp_path, ["stdout"])


@pytest.mark.parametrize("way", ["errors", "raising_after_errors"])
def test_python_errors(way: str, tmp_path: Path) -> None:
    argv = [sys.executable, "-I", str(PROGRAMS / "coalesced.py"), way]
    assert_same(argv, tmp_path)
    assert_handful(argv, tmp_path)


@pytest.mark.parametrize("way", ["forked", "with_programs"])
def test_python_with_other_processes(way: str, tmp_path: Path) -> None:
    assert_same([sys.executable, "-I", str(PROGRAMS / "coalesced.py"), way], tmp_path)


def test_a_closed_stdout_stays_closed(roads: str, tmp_path: Path) -> None:
    native = run([roads, "prints"], tmp_path / "native", preload=False, before=lambda: os.close(1))
    gathered = run([roads, "prints"], tmp_path / "gathered", preload=True, before=lambda: os.close(1))
    assert gathered == native
    assert native.stdout == b""


def test_a_closed_stderr_stays_closed(roads: str, tmp_path: Path) -> None:
    argv = [roads, "prints", "2"]
    native = run(argv, tmp_path / "native", preload=False, before=lambda: os.close(2))
    gathered = run(argv, tmp_path / "gathered", preload=True, before=lambda: os.close(2))
    assert gathered == native
    assert native.stderr == b""
