"""The preload that leaves nothing in a buffer: whatever ends a program, all that it printed is there, once and in
order.
"""

import os
import subprocess
from pathlib import Path

import pytest

from tests.sandbox.metered import PATIENCE_S, compiled

PRELOAD = Path(__file__).parents[3] / "sandbox" / "native" / "build" / "unbuffered.so"
PRINTED = {
    "stdio": b"one\ntwo\nthree\n",
    "own_buffer": b"1two\nthree\n",
    "cout": b"one\ntwo\nthree\n",
    "unsynced": b"one\ntwo\n3",
    "mixed": b"one\ntwo\nthree\n",
}
LOSING = ("quits", "quick", "aborts", "crashes", "killed")


@pytest.fixture(scope="module")
def lost(tmp_path_factory: pytest.TempPathFactory) -> str:
    return compiled("lost.cpp", tmp_path_factory.mktemp("lost"))


def written(argv: list[str], *, preload: bool) -> tuple[bytes, int]:
    """What a program wrote on stdout, a file's or a pipe's, and its exit status; it reads 7."""
    environment = {"PATH": os.environ["PATH"]} | ({"LD_PRELOAD": str(PRELOAD)} if preload else {})
    ended = subprocess.run(argv, env=environment, input=b"7\n", capture_output=True, timeout=PATIENCE_S, check=False)
    return ended.stdout, ended.returncode


@pytest.mark.parametrize("ending", LOSING)
@pytest.mark.parametrize("printing", PRINTED)
def test_what_an_end_loses_is_written(printing: str, ending: str, lost: str) -> None:
    native, status = written([lost, printing, ending], preload=False)
    assert native == b""
    assert written([lost, printing, ending], preload=True) == (PRINTED[printing], status)


@pytest.mark.parametrize("printing", PRINTED)
def test_what_a_fork_doubles_is_written_once(printing: str, lost: str) -> None:
    native, _ = written([lost, printing, "forks"], preload=False)
    assert len(native) == 2 * len(PRINTED[printing])
    assert written([lost, printing, "forks"], preload=True) == (PRINTED[printing], 0)


def test_streams_with_two_buffers_come_in_the_order_of_printing(lost: str) -> None:
    native, _ = written([lost, "mixed", "returns"], preload=False)
    assert native != PRINTED["mixed"]
    assert sorted(native) == sorted(PRINTED["mixed"])
    assert written([lost, "mixed", "returns"], preload=True) == (PRINTED["mixed"], 0)


@pytest.mark.parametrize("printing", sorted(PRINTED.keys() - {"mixed"}))
def test_a_program_that_ends_well_writes_the_same(printing: str, lost: str) -> None:
    native, status = written([lost, printing, "returns"], preload=False)
    assert written([lost, printing, "returns"], preload=True) == (native, status)
    assert (native, status) == (PRINTED[printing], 0)


def test_programs_that_it_starts_run_as_usual() -> None:
    shown, _ = written(["sh", "-c", "env; exec env"], preload=True)
    assert b"LD_PRELOAD" not in shown
