"""Folders and groups that somebody removes under an open sandbox: said, nothing left, and the next jail works."""

import os
import shutil
from collections.abc import Iterator
from functools import partial
from pathlib import Path

import pytest

from sandbox.cgroups.cgroup import ControlGroups
from sandbox.errors import SandboxError, WorkdirError
from sandbox.jail.jail import OpenJail
from sandbox.jail.nsjail import NsjailSandbox
from sandbox.types import Command, Ending, Limits
from tests.sandbox.aftermath import nothing_left
from tests.sandbox.jailed import TOOLS
from tests.waiting import wait_for

LIMITS = Limits(cpu_time_ms=2_000, wall_time_ms=10_000)
TRUE = Command(argv=("/bin/true",))
TRACED = Command(argv=("/bin/sh", "-c", "test -f .tally-writes"), trace_writes=True)  # the preload leaves its table


@pytest.fixture
def work() -> Iterator[Path]:
    """A work folder of the test's own, there again at its end."""
    made = Path(f"/var/lib/tally/test-removed-{os.getpid()}")
    made.mkdir(parents=True, mode=0o711)
    yield made
    ControlGroups(made).close()
    shutil.rmtree(made)


@pytest.fixture
def own(work: Path) -> Iterator[NsjailSandbox]:
    """A sandbox of this work folder, whose jails work at the end as they did before."""
    opened = NsjailSandbox(work)
    with opened.open_jail(TOOLS):
        pass  # starts its fork server, which stays
    yield opened
    with opened.open_jail(TOOLS) as jail:
        outcome = jail.run(TRACED, LIMITS)
        assert (outcome.ending, outcome.exit_code) == (Ending.EXITED, 0)
    opened._groups.close()


def runs_groups(jail: OpenJail) -> Iterator[Path]:
    for folder in {*jail._group._folders.values()}:
        yield from folder.glob("run-*")


def is_removed(group: Path) -> bool:
    try:
        group.rmdir()
    except OSError:  # a process is in it
        return False
    return True


def test_a_work_folder_that_was_removed_is_made_again(own: NsjailSandbox, work: Path) -> None:
    shutil.rmtree(work)
    with own.open_jail(TOOLS) as jail:
        assert jail.run(TRACED, LIMITS).exit_code == 0


def test_a_work_folder_that_goes_while_a_jail_is_open_is_said(own: NsjailSandbox, work: Path) -> None:
    with own.open_jail(TOOLS) as jail:
        shutil.rmtree(work)
        for _ in range(2):
            with pytest.raises(WorkdirError, match=rf"No such file or directory: '{work}/jail-"):
                jail.run(TRUE, LIMITS)


def test_a_work_folder_that_goes_during_a_run_is_nothing_to_the_run(
    own: NsjailSandbox, work: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with own.open_jail(TOOLS) as jail, monkeypatch.context() as patched:
        patched.setattr(OpenJail, "tidy", lambda _: shutil.rmtree(work))  # called as soon as the run has begun
        assert jail.run(Command(argv=("/bin/sh", "-c", "sleep 0.1; echo hello")), LIMITS).stdout_bytes == 6


def test_groups_of_runs_that_go_fail_one_run_and_not_the_jail(own: NsjailSandbox, work: Path) -> None:
    with own.open_jail(TOOLS) as jail, nothing_left(work):
        assert jail.run(TRUE, LIMITS).exit_code == 0
        for group in runs_groups(jail):
            wait_for(partial(is_removed, group), "nobody waits for the next run")
        with pytest.raises(SandboxError, match=r"control group|cannot (read|write) .*: No such file"):
            jail.run(TRUE, LIMITS)
        assert jail.run(TRUE, LIMITS).exit_code == 0


def test_a_jail_whose_groups_go_says_so(own: NsjailSandbox, work: Path) -> None:
    with nothing_left(work), own.open_jail(TOOLS) as jail:
        jail._group.close()  # as `remove_leftovers` of another worker would, were it wrong about this one
        with pytest.raises(SandboxError, match=r"^(the jail is gone|cannot make the control group .*/run-)"):
            jail.run(TRUE, LIMITS)
