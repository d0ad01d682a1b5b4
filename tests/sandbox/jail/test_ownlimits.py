"""A host process that may use little itself: said before a jail is made, and no run ever feels it."""

import errno
import os
import resource
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from sandbox import privileges
from sandbox.cgroups.cgroupfs import find_hierarchies
from sandbox.errors import JailError, SandboxError
from sandbox.jail.leftovers import remove_leftovers
from sandbox.jail.nsjail import NsjailSandbox
from sandbox.jail.pair import Side, run_pair
from sandbox.types import Collect, Command, Destination, JailSpec, Limits
from tests.sandbox.aftermath import nothing_left, open_descriptors
from tests.sandbox.conftest import WORK_ROOT
from tests.sandbox.jailed import TOOLS

LIMITS = Limits(cpu_time_ms=2_000, wall_time_ms=10_000)
TRUE = Command(argv=("/bin/true",))
_WITHOUT_RIGHTS = ("setpriv", "--bounding-set=-sys_resource")
SPARE = privileges._SPARE
_MOST_TAKEN = 60  # descriptors, by any of the attempts


def call(prlimit: tuple[str, ...], *command: str) -> "subprocess.CompletedProcess[str]":
    verb = ("run", "--tools", "--", *command) if command else ("doctor",)
    sandbox = (sys.executable, "-m", "sandbox", "--work-dir", str(WORK_ROOT), *verb)
    arguments = ("prlimit", *prlimit, *_WITHOUT_RIGHTS, *sandbox)
    return subprocess.run(arguments, capture_output=True, text=True, timeout=60, check=False)


@pytest.mark.parametrize(
    ("option", "flag", "few", "least"),
    [
        ("cpu", "t", "3600 seconds of CPU time", 86_400),
        ("as", "v", "900000000 bytes of address space", 1 << 40),
        ("data", "d", "900000000 bytes of data", 1 << 40),
        ("stack", "s", "9000000 bytes of stack", 1 << 30),
        ("fsize", "f", "9000000 bytes in a file", 1 << 30),
        ("nproc", "u", "200 processes", 1_000),
        ("nofile", "n", "200 open files", 1_000),
    ],
)
def test_what_every_run_would_feel_is_said_with_the_remedy(option: str, flag: str, few: str, least: int) -> None:
    with nothing_left(WORK_ROOT):
        found = call((f"--{option}={few.split()[0]}",), "true")
    why = f"this process may have {few} at most, and so may every run"
    assert (found.returncode, found.stdout) == (1, "")
    assert found.stderr == f"sandbox: {why}: raise its hard limit (ulimit -H{flag}) to {least} or more\n"


def test_the_doctor_says_where_such_limits_are_set() -> None:
    found = call(("--nproc=200",))
    assert found.returncode == 1
    assert "this process may have 200 processes at most" in found.stdout
    assert found.stdout.endswith(
        " -> with systemd set LimitNOFILE= and its like for the worker, in a container use --ulimit\n"
    )


def test_limits_that_were_set_softly_are_no_runs(sandbox: NsjailSandbox) -> None:
    softly = ("--cpu=100:", "--as=900000000:", "--data=900000000:", "--fsize=90000:", "--nproc=200:", "--stack=900000:")
    command = ("/bin/sh", "-c", "for each in t v d f s n; do ulimit -S$each; done")
    assert call((*softly, "--nofile=200:"), *command).stdout == call((), *command).stdout != ""


def test_who_may_raise_limits_is_not_stopped_by_them(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(resource, "getrlimit", lambda _: (1, 1))
    monkeypatch.setattr(privileges, "is_held", lambda _: True)
    privileges.check_own_limits()
    monkeypatch.setattr(privileges, "is_held", lambda _: False)
    with pytest.raises(JailError, match=r"1 seconds of CPU time at most"):
        privileges.check_own_limits()


# --- descriptors


def _all_that_are_left() -> Iterator[int]:
    while True:
        try:
            yield os.dup(2)
        except OSError as error:
            assert error.errno == errno.EMFILE  # noqa: PT017 - it is no failure
            return


@contextmanager
def descriptors_left(count: int) -> Iterator[None]:
    """This process can open so many files more."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (max(map(int, open_descriptors())) + _MOST_TAKEN, hard))
    held = list(_all_that_are_left())
    try:
        while count:
            os.close(held.pop())
            count -= 1
        yield
    finally:
        for descriptor in held:
            os.close(descriptor)
        resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))


def collects(sandbox: NsjailSandbox, folder: Path) -> None:
    targets = [folder / str(number) for number in range(6)]
    wanted = tuple(Collect(name=target.name, target=target, max_bytes=10) for target in targets)
    with sandbox.open_jail(TOOLS) as jail:
        try:
            jail.run(Command(argv=("/bin/sh", "-c", "touch 0 1 2 3 4 5"), collect=wanted), LIMITS)
        finally:
            for target in targets:
                target.unlink(missing_ok=True)


def drains(sandbox: NsjailSandbox, folder: Path) -> None:
    with sandbox.open_jail(JailSpec(cpu=0)) as jail:
        jail.run(Command(argv=TRUE.argv, destination=Destination.PIPE, sample_ms=10), LIMITS)


def profiles(sandbox: NsjailSandbox, folder: Path) -> None:
    with sandbox.open_jail(JailSpec()) as jail:
        jail.profile(TRUE, LIMITS)


def talks(sandbox: NsjailSandbox, folder: Path) -> None:
    with sandbox.open_jail(TOOLS) as one, sandbox.open_jail(TOOLS) as other:
        reader = Side(jail=other, command=Command(argv=("/bin/cat",)), limits=LIMITS)
        run_pair(Side(jail=one, command=TRUE, limits=LIMITS), reader)


def test_a_jail_is_not_begun_without_descriptors_for_it(sandbox: NsjailSandbox) -> None:
    for left in (0, 1, 20, 40, 60):
        with nothing_left(WORK_ROOT), pytest.raises(JailError) as caught, descriptors_left(left):
            drains(sandbox, WORK_ROOT)
        assert str(caught.value).startswith("this process has ")
        assert str(caught.value).endswith(
            f"descriptors open, and a jail needs {SPARE}: raise the limit of open files (ulimit -n)"
        )


@pytest.mark.parametrize("attempt", [collects, drains, profiles, talks])
def test_descriptors_that_run_out_later_are_our_error_and_none_is_kept(
    sandbox: NsjailSandbox,
    folder: Path,
    monkeypatch: pytest.MonkeyPatch,
    attempt: Callable[[NsjailSandbox, Path], None],
) -> None:
    attempt(sandbox, folder)  # the meter is loaded
    monkeypatch.setattr(privileges, "_SPARE", 0)
    said: set[str] = set()
    for left in range(4, _MOST_TAKEN):  # with fewer not even a folder can be removed
        with nothing_left(WORK_ROOT):
            try:
                with descriptors_left(left):
                    attempt(sandbox, folder)
                break
            except SandboxError as error:
                said.add(str(error))
                left_over = remove_leftovers(WORK_ROOT)
                # there a jail's group holds another one, and it takes a descriptor to find that
                assert not left_over or find_hierarchies().version == 2
    else:
        pytest.fail("no attempt succeeded")
    assert all(" descriptors " in why or "Too many open files" in why for why in said), said
    assert 10 < left < SPARE  # it was enough, and would have been without the patch
