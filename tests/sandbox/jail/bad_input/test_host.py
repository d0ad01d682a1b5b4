"""Hosts that lack something: each says what, leaves nothing, and judges again once it is there.

What cannot be taken from this process is taken from another one, in a mount namespace or a user of its own.
"""

import os
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

import pytest

from sandbox.cgroups.cgroup import ControlGroups
from sandbox.errors import LimitsError, SandboxError, WorkdirError
from sandbox.jail.jail import OpenJail
from sandbox.jail.nsjail import NsjailSandbox
from sandbox.types import MIB, Command, Destination, Ending, JailSpec, Limits
from tests.sandbox.aftermath import nothing_left
from tests.sandbox.jailed import TOOLS

_DISK_BYTES = 64 * MIB
LIMITS = Limits(cpu_time_ms=1_000, wall_time_ms=9_000, output_bytes=4 * MIB, stderr_bytes=4 * MIB, file_bytes=4 * MIB)
TRUE = Command(argv=("/bin/true",))
_AS_NOBODY = ("setpriv", "--reuid=65534", "--regid=65534", "--clear-groups")
_WITHOUT_BPF = ("setpriv", "--bounding-set=-bpf,-perfmon,-sys_admin")
_HIDDEN_TYPES = ("unshare", "-m", "sh", "-c", 'mount -t tmpfs none /sys/kernel/btf && exec "$@"', "sh")
_WITHOUT_GROUPS = ("unshare", "-m", "sh", "-c", 'umount -R /sys/fs/cgroup && exec "$@"', "sh")


@pytest.fixture
def place() -> Iterator[Path]:
    """A folder for work folders, which everybody may write to."""
    made = Path(f"/var/lib/tally/test-host-{os.getpid()}")
    made.mkdir(parents=True)
    made.chmod(0o777)
    yield made
    for work in [path for path in made.iterdir() if path.is_dir()]:
        ControlGroups(work).close()
    shutil.rmtree(made)


@contextmanager
def disk(at: Path, options: str) -> Iterator[Path]:
    """A small disk of its own."""
    at.mkdir()
    subprocess.run(["mount", "-t", "tmpfs", "-o", f"mode=0755,{options}", "none", str(at)], check=True, timeout=20)
    try:
        yield at
        for work in (at, at / "work"):  # the name of their groups comes from the disk too
            if work.is_dir():
                ControlGroups(work).close()
    finally:
        subprocess.run(["umount", "-l", str(at)], check=True, timeout=20)
        at.rmdir()


@contextmanager
def full(at: Path, leave_bytes: int = 0) -> Iterator[None]:
    """The disk has no more than this room within."""
    filler = at / "filler"
    with filler.open("wb") as file:
        os.posix_fallocate(file.fileno(), 0, os.statvfs(at).f_bavail * os.statvfs(at).f_frsize - leave_bytes)
    try:
        yield
    finally:
        filler.unlink()


def call(work: Path, *arguments: str, under: tuple[str, ...] = ()) -> "subprocess.CompletedProcess[str]":
    command = [*under, sys.executable, "-m", "sandbox", "--work-dir", str(work), *arguments]
    return subprocess.run(command, capture_output=True, text=True, timeout=60, check=False)


def assert_works(jail: OpenJail) -> None:
    outcome = jail.run(TRUE, LIMITS)
    assert (outcome.ending, outcome.exit_code) == (Ending.EXITED, 0)


# --- the disk


def test_a_disk_that_is_full_before_the_run_is_said_and_later_runs_work(place: Path) -> None:
    with disk(place / "disk", f"size={_DISK_BYTES}") as small:
        sandbox = NsjailSandbox(small)
        with sandbox.open_jail(JailSpec()) as jail:
            with full(small, leave_bytes=8 * MIB), nothing_left(small), pytest.raises(WorkdirError) as caught:
                jail.run(TRUE, LIMITS)
            assert str(caught.value) == f"the disk of {small} is full: a run needs 9 MiB for its output"
            assert_works(jail)


@pytest.mark.parametrize(
    ("destination", "needed"), [(Destination.FILE, 41), (Destination.PIPE, 22), (Destination.TERMINAL, 22)]
)
def test_there_must_be_room_for_what_a_run_can_write_before_it_is_seen_to_be_over_its_limit(
    place: Path, destination: Destination, needed: int
) -> None:
    limits = Limits(output_bytes=MIB, stderr_bytes=MIB, file_bytes=20 * MIB)
    flood = Command(argv=("/usr/bin/head", "-c", str(64 * MIB), "/dev/zero"), destination=destination)
    with disk(place / "disk", f"size={_DISK_BYTES}") as small, NsjailSandbox(small).open_jail(TOOLS) as jail:
        with full(small, leave_bytes=(needed - 1) * MIB), nothing_left(small), pytest.raises(WorkdirError) as caught:
            jail.run(flood, limits)
        assert str(caught.value) == f"the disk of {small} is full: a run needs {needed} MiB for its output"
        with full(small, leave_bytes=(needed + 1) * MIB):
            assert jail.run(flood, limits).ending is Ending.OUTPUT_LIMIT


@pytest.mark.parametrize("destination", Destination)
def test_a_disk_that_others_fill_during_the_run_is_never_blamed_on_the_program(
    place: Path, destination: Destination, monkeypatch: pytest.MonkeyPatch
) -> None:
    argv = ("/bin/sh", "-c", "sleep 1; head -c 1000000 /dev/zero")
    with disk(place / "disk", f"size={_DISK_BYTES}") as small, NsjailSandbox(small).open_jail(TOOLS) as jail:
        with nothing_left(small), ExitStack() as filled, monkeypatch.context() as patched:
            # called as soon as the run has begun
            patched.setattr(OpenJail, "tidy", lambda _: filled.enter_context(full(small)))
            with pytest.raises(WorkdirError) as caught:
                jail.run(Command(argv=argv, destination=destination, stdout=small / "out"), LIMITS)
            (small / "out").unlink()
        assert str(caught.value) == "cannot keep the run's output: No space left on device"
        assert_works(jail)


def test_output_that_nobody_keeps_needs_no_disk(place: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with disk(place / "disk", f"size={_DISK_BYTES}") as small, NsjailSandbox(small).open_jail(TOOLS) as jail:
        with ExitStack() as filled, monkeypatch.context() as patched:
            patched.setattr(OpenJail, "tidy", lambda _: filled.enter_context(full(small)))
            outcome = jail.run(Command(argv=("/usr/bin/head", "-c", "1000000", "/dev/zero")), LIMITS)
        assert (outcome.ending, outcome.stdout_bytes) == (Ending.EXITED, 1_000_000)


def test_a_disk_without_room_for_anything_leaves_nothing_on_it(place: Path) -> None:
    with disk(place / "disk", "size=1m") as small, full(small):
        found = call(small / "work", "run", "--", "true")
        assert found.returncode == 1
        assert found.stderr == f"sandbox: the disk of {small}/work is full: a run needs 129 MiB for its output\n"
        assert [path for path in small.rglob("*") if path.is_file()] == [small / "filler"]


def test_a_disk_without_inodes_says_so(place: Path) -> None:
    for inodes in range(3, 5):  # root and work folder are 2; a jail has a folder, a lock and a log
        with disk(place / "disk", f"size=40m,nr_inodes={inodes}") as small:
            sandbox = NsjailSandbox(small / "work")
            with (
                nothing_left(small / "work"),
                pytest.raises(SandboxError, match="No space left on device"),
                sandbox.open_jail(JailSpec()) as jail,
            ):
                jail.run(TRUE, LIMITS)


def test_a_disk_that_cannot_be_written_says_so(place: Path) -> None:
    with disk(place / "disk", "size=1m,ro") as small:
        for work, why in (
            (small, f"cannot make a folder in {small}: Read-only file system"),
            (small / "work", f"cannot make the work folder {small}/work: Read-only file system"),
        ):
            with pytest.raises(WorkdirError) as caught:
                NsjailSandbox(work)
            assert str(caught.value) == why


def test_a_work_folder_that_jails_cannot_reach_is_said_with_the_remedy(place: Path) -> None:
    closed = place / "closed"
    closed.mkdir(mode=0o700)
    found = call(closed / "work", "run", "--", "true")
    assert (found.returncode, found.stdout) == (1, "")
    advice = f"chmod o+x {closed}, or use another folder"
    assert found.stderr == f"sandbox: {closed} cannot be searched by everybody: {advice}\n"
    ControlGroups(closed / "work").close()
    closed.chmod(0o711)
    assert call(closed / "work", "run", "--", "true").returncode == 0
    ControlGroups(closed / "work").close()


def test_a_work_folder_that_is_a_file_is_said(place: Path) -> None:
    (place / "file").write_text("")
    with pytest.raises(WorkdirError) as caught:
        NsjailSandbox(place / "file")
    assert str(caught.value) == f"cannot make the work folder {place}/file: File exists"


# --- what the host does not give


def test_without_root_it_is_said_and_nothing_is_left(place: Path) -> None:
    with nothing_left(place):
        found = call(place / "work", "run", "--", "true", under=_AS_NOBODY)
        assert (found.returncode, found.stdout, found.stderr.count("\n")) == (1, "", 1)
        # v1: a group cannot be made; v2: its controllers cannot be enabled
        assert re.match("sandbox: cannot (make the control group|write '.*' to) /sys/fs/cgroup/", found.stderr)
        assert found.stderr.endswith(": Permission denied (are we root?)\n")
        assert list((place / "work").iterdir()) == []
        doctor = call(place / "work", "doctor", under=_AS_NOBODY)
        assert doctor.returncode == 1
        assert "running as user 65534" in doctor.stdout.splitlines()[0]
        (place / "work").rmdir()


def test_without_control_groups_it_is_said_and_nothing_is_left(place: Path) -> None:
    why = "no control groups for memory and pids are mounted: mount cgroup2 on /sys/fs/cgroup"
    with nothing_left(place):
        found = call(place / "work", "run", "--", "true", under=_WITHOUT_GROUPS)
        assert (found.returncode, found.stdout, found.stderr) == (1, "", f"sandbox: {why}\n")
        doctor = call(place / "work", "doctor", under=_WITHOUT_GROUPS)
        assert doctor.returncode == 1
        assert f"FAILED   control groups: {why} -> mount cgroup2 on /sys/fs/cgroup\n" in doctor.stdout


@pytest.mark.parametrize(
    ("under", "why"),
    [
        (_WITHOUT_BPF, "the meter cannot be loaded: the kernel refused meter.bpf.o: Operation not permitted"),
        (_HIDDEN_TYPES, "this kernel does not describe its types (/sys/kernel/btf/vmlinux): use one built with BTF"),
    ],
)
def test_without_bpf_all_but_the_names_of_calls_works(place: Path, under: tuple[str, ...], why: str) -> None:
    work = place / "work"
    assert call(work, "run", "--", "true").returncode == 0  # makes what stays
    with nothing_left(work):
        found = call(work, "run", "--profile", "--json", "--", "true", under=under)
        assert (found.returncode, found.stdout, found.stderr.count("\n")) == (1, "", 1)
        assert found.stderr.startswith(f"sandbox: {why}")
        plain = call(work, "run", "--tools", "--", "echo", "hello", under=under)
        assert (plain.returncode, plain.stdout) == (0, "hello\n")


def test_a_core_that_is_not_there_is_refused_and_leaves_no_group(place: Path) -> None:
    sandbox = NsjailSandbox(place / "work")
    cores = [JailSpec(cpu=cpu) for cpu in (9_999, -1, 10**5_000, 0.0, True)]  # type: ignore[arg-type]
    counts = [JailSpec(cpu=cpu, cores=cores) for cpu in (None, 0) for cores in (0, -1, 1.5, None)]  # type: ignore[arg-type]
    whys = ["cpu must be the number of one of this host's cores"] * len(cores)
    whys += ["cores must be a whole number of at least 1"] * len(counts)
    for spec, why in zip(cores + counts, whys, strict=True):
        with nothing_left(place / "work"), pytest.raises(LimitsError) as caught, sandbox.open_jail(spec):
            pass
        assert str(caught.value) == why
    with sandbox.open_jail(JailSpec(cpu=0)) as jail:
        assert_works(jail)
