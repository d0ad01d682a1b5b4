"""What happens to a jail when something on our own side goes wrong."""

import os
import signal
import threading
from pathlib import Path

import pytest

from sandbox.cgroups.cgroup import ControlGroups
from sandbox.errors import JailError
from sandbox.jail.leftovers import jail_folder, remove_leftovers
from sandbox.jail.nsjail import NsjailSandbox
from sandbox.types import MIB, Command, Ending, Limits
from sandbox.workdir import fresh_folder
from tests.sandbox.jailed import TOOLS

LIMITS = Limits(cpu_time_ms=2_000, wall_time_ms=5_000)


def test_a_late_answer_is_not_taken_for_that_to_the_next_request(
    sandbox: NsjailSandbox, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("sandbox.jail.prepared._ANSWER_MS", 100)
    hasty = Limits(cpu_time_ms=100, wall_time_ms=100)
    with sandbox.open_jail(TOOLS) as jail:
        os.kill(jail._init.pid, signal.SIGSTOP)
        with pytest.raises(JailError, match="did not answer"):
            jail.run(Command(argv=("/bin/true",)), hasty)
        os.kill(jail._init.pid, signal.SIGCONT)
        with pytest.raises(JailError, match="is gone"):
            jail.run(Command(argv=("/bin/true",)), LIMITS)


def test_a_folder_that_comes_and_goes_is_never_taken_for_abandoned(sandbox: NsjailSandbox) -> None:
    root = sandbox._work_root
    remove_leftovers(root)  # of workers that other tests killed
    found: list[str] = []
    done = threading.Event()

    def sweep() -> None:
        while not done.is_set():
            found.extend(remove_leftovers(root))

    sweeper = threading.Thread(target=sweep)
    sweeper.start()
    try:
        for _ in range(500):
            with jail_folder(root):
                pass
    finally:
        done.set()
        sweeper.join()
    assert found == []


def test_several_processes_that_read_much_input_do_not_exceed_their_memory(
    sandbox: NsjailSandbox, folder: Path
) -> None:
    data = folder / "in"
    with data.open("wb") as file:
        for _ in range(96):
            file.write(bytes(MIB))
        file.flush()
        os.fsync(file.fileno())
        os.posix_fadvise(file.fileno(), 0, 0, os.POSIX_FADV_DONTNEED)  # so that the run is the first to read it
    limits = Limits(cpu_time_ms=5_000, wall_time_ms=15_000, memory_bytes=32 * MIB)
    with sandbox.open_jail(TOOLS) as jail:
        outcome = jail.run(Command(argv=("/bin/sh", "-c", "/bin/cat >/dev/null; exit 0"), stdin=data), limits)
    assert (outcome.ending, outcome.exit_code, outcome.io.read_bytes > 96 * MIB) == (Ending.EXITED, 0, True)
    assert outcome.usage.peak_memory_bytes <= limits.memory_bytes


def test_a_folder_of_a_killed_command_is_removed_and_one_in_use_is_not(tmp_path: Path) -> None:
    dead = tmp_path / "grade-abcdefgh"
    dead.mkdir()
    (dead / "program").write_text("x")
    os.utime(dead, (1, 1))
    with fresh_folder(tmp_path, "grade-") as used:
        os.utime(used, (1, 1))
        assert remove_leftovers(tmp_path) == [dead.name]
        assert used.exists()
    ControlGroups(tmp_path).close()
