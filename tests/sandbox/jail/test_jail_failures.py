"""The real jail when something goes wrong: said clearly, nothing left, and the next run works."""

import os
import signal
from pathlib import Path

import pytest

from sandbox.errors import CommandError, JailError, LimitsError
from sandbox.jail.jail import OpenJail
from sandbox.jail.leftovers import remove_leftovers
from sandbox.jail.nsjail import NsjailSandbox
from sandbox.types import Command, JailSpec, Limits
from tests.sandbox.jailed import LIMITS, python
from tests.waiting import wait_for


@pytest.mark.parametrize(
    ("program", "why"), [("/nowhere/x", "No such file"), ("/usr", "Permission"), ("/etc/ld.so.cache", "Permission")]
)
def test_a_command_that_cannot_be_started_says_why_and_the_next_one_runs(
    jail: OpenJail, program: str, why: str
) -> None:
    with pytest.raises(CommandError, match=why):
        jail.run(Command(argv=(program,)), LIMITS)
    assert python(jail, "pass").exit_code == 0


def test_senseless_limits_are_refused_and_the_next_run_works(jail: OpenJail) -> None:
    with pytest.raises(LimitsError, match="memory_bytes"):
        python(jail, "pass", Limits(memory_bytes=0))
    assert python(jail, "pass").exit_code == 0


def test_a_killed_init_is_our_error_and_leaves_nothing(sandbox: NsjailSandbox) -> None:
    with sandbox.open_jail(JailSpec()) as jail:
        os.kill(jail._init.pid, signal.SIGKILL)
        with pytest.raises(JailError):
            python(jail, "pass")
    assert sandbox._groups.names() == set()


def test_the_init_ends_with_its_host_and_the_next_worker_clears_up(sandbox: NsjailSandbox) -> None:
    root = sandbox._work_root
    child = os.fork()
    if child == 0:
        with sandbox.open_jail(JailSpec()) as jail:
            python(jail, "import time; time.sleep(60)", Limits(cpu_time_ms=1_000, wall_time_ms=50_000))
        os._exit(1)
    wait_for(lambda: any(sandbox._groups._parents["memory"].glob("jail-*/run-*")), "its program runs")
    os.kill(child, signal.SIGKILL)
    os.waitpid(child, 0)
    removed = remove_leftovers(root)
    assert len(removed) == 1
    assert sandbox._groups.names() == set()
    assert not list(root.glob("jail-*"))
    assert remove_leftovers(root) == []


def test_a_living_workers_jail_is_not_cleared(sandbox: NsjailSandbox) -> None:
    with sandbox.open_jail(JailSpec()) as jail:
        assert remove_leftovers(sandbox._work_root) == []
        assert python(jail, "pass").exit_code == 0


def test_what_is_no_folder_of_ours_or_goes_while_we_look_holds_up_no_clearing(
    sandbox: NsjailSandbox, monkeypatch: pytest.MonkeyPatch
) -> None:
    root = sandbox._work_root
    (root / "jail-notes").write_text("somebody's")
    dead, going = root / "check-abcdefgh", root / "run-abcdefgh"
    for folder in (dead, going):
        folder.mkdir()
        os.utime(folder, (1, 1))

    def open_too_late(path: Path, flags: int, **more: int) -> int:
        if path == going and going.exists():
            going.rmdir()
        return really_open(path, flags, **more)

    really_open = os.open
    monkeypatch.setattr("sandbox.jail.leftovers.os.open", open_too_late)
    removed = remove_leftovers(root)
    monkeypatch.undo()
    (root / "jail-notes").unlink()
    assert removed == [dead.name]
    assert not dead.exists()
