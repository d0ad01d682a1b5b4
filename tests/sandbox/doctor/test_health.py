"""A host that falls sick is noticed, each cause with its own remedy; one that is well is left alone."""

import errno
import os
import sys
import threading
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from sandbox.doctor import health
from sandbox.doctor.doctor import remedy_for
from sandbox.doctor.health import FULL_PERCENT, Probe, why_kernel_sick, why_no_run, why_sick
from sandbox.errors import CgroupError, JailError, SandboxError, WorkdirError
from sandbox.meter.meter import meter_problem
from sandbox.types import MIB
from tests.processes import is_running
from tests.sandbox.conftest import WORK_ROOT
from tests.waiting import wait_for

OURS = "3:memory:/tally-0123abcd/jail-x/run-1\n"
LIMIT = 64 * MIB
CGROUP_MOUNT = "mount the host's /sys/fs/cgroup"
# As Linux 6.18 says it: two areas of compiled filters, the programs that they were made of, and what is others'.
VMALLOCINFO = """\
0x0000000088aa2984-0x00000000bcf42bdf {packs} bpf_prog_pack_alloc+0x28b/0x3a0 pages=512 vmalloc N0=512
0x0000000088aa2984-0x00000000bcf42bdf {jit} bpf_jit_alloc_exec+0xe/0x20 pages=512 vmalloc N0=512
0x00000000736bdad2-0x0000000088718980 99999999999 bpf_prog_alloc_no_stats+0x39/0x230 pages=1 vmalloc N0=1
0x00000000deadbeef-0x0000000088718980 99999999999 unpurged vm_area
0x00000000736bdad2-0x0000000088718980 99999999999
"""

AddThread = Callable[..., Path]


@pytest.fixture
def proc(tmp_path: Path) -> Path:
    """A /proc of a host on which nothing is wrong."""
    (tmp_path / "sys/net/core").mkdir(parents=True)
    (tmp_path / "sys/net/core/bpf_jit_limit").write_text(f"{LIMIT}\n")
    (tmp_path / "vmallocinfo").write_text(VMALLOCINFO.format(packs=2 * MIB, jit=4_096))
    return tmp_path


@pytest.fixture
def add_thread(proc: Path) -> AddThread:
    """A function that adds a process of one thread, in a group and in a state."""

    def add(number: int, *, state: str = "D", group: str = OURS) -> Path:
        thread = proc / str(number) / "task" / str(number)
        thread.mkdir(parents=True)
        (proc / str(number) / "cgroup").write_text(group)
        rest = " ".join(str(field) for field in range(4, 53))
        (thread / "stat").write_text(f"{number} (a) S (b) {state} {rest}\n")
        move(thread, 7)
        return thread

    return add


def move(thread: Path, switches: int) -> None:
    (thread / "status").write_text(f"voluntary_ctxt_switches:\t{switches}\nnonvoluntary_ctxt_switches:\t0\n")


def test_this_host_is_well() -> None:
    assert why_sick(WORK_ROOT, counts=meter_problem() is None) == ""


def test_what_is_not_told_is_no_sickness(tmp_path: Path) -> None:
    assert why_kernel_sick(tmp_path) == ""


def test_memory_for_filters_that_is_nearly_full_is_said_with_the_numbers_and_the_remedy(proc: Path) -> None:
    full = -(-LIMIT * FULL_PERCENT // 100)
    (proc / "vmallocinfo").write_text(VMALLOCINFO.format(packs=full - 4_097, jit=4_096))
    assert why_kernel_sick(proc) == ""
    (proc / "vmallocinfo").write_text(VMALLOCINFO.format(packs=full - 4_096, jit=4_096))
    why = why_kernel_sick(proc)
    assert "57 of 64 MiB" in why
    assert "net.core.bpf_jit_limit" in why
    assert "cgroup" not in why


def test_a_process_of_a_jail_that_hangs_is_named(
    proc: Path, add_thread: AddThread, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(health, "HANGS_S", 0.3)
    add_thread(41)
    for number in range(101, 107):
        add_thread(number)
    why = why_kernel_sick(proc)
    assert "hang in the kernel (state D) and cannot be ended: 41, 101, 102, 103, 104 and 2 more." in why
    assert why.endswith("Restart this host: nothing else frees them.")


@pytest.mark.parametrize(
    ("state", "group"), [("S", OURS), ("Z", OURS), ("D", "0::/system.slice/other.service\n"), ("D", "0::/tally-web\n")]
)
def test_others_and_those_that_only_wait_are_no_sickness(
    proc: Path, add_thread: AddThread, monkeypatch: pytest.MonkeyPatch, state: str, group: str
) -> None:
    monkeypatch.setattr(health, "HANGS_S", 600.0)  # nobody is looked at for so long
    add_thread(41, state=state, group=group)
    assert why_kernel_sick(proc) == ""


def test_a_process_that_waits_for_its_disk_again_and_again_is_no_sickness(
    proc: Path, add_thread: AddThread, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(health, "HANGS_S", 600.0)
    thread = add_thread(41)
    mover = threading.Timer(0.2, move, (thread, 8))
    mover.start()
    monkeypatch.setattr("sandbox.doctor.health.time.sleep", lambda _: mover.join())
    assert why_kernel_sick(proc) == ""


def _from(error: SandboxError, number: int) -> SandboxError:
    error.__cause__ = OSError(number, os.strerror(number))
    return error


@pytest.mark.parametrize(
    ("error", "remedy"),
    [
        (_from(CgroupError("cannot make the control group x"), errno.EROFS), CGROUP_MOUNT),
        (_from(CgroupError("cannot make the control group x"), errno.EACCES), CGROUP_MOUNT),
        (_from(CgroupError("cannot make the control group x"), errno.ENOMEM), "restart this host"),
        (_from(CgroupError("cannot make the control group x"), errno.ENOSPC), "restart this host"),
        (_from(CgroupError("cannot remove the control group x"), errno.EBUSY), "the kernel's log (dmesg)"),
        (CgroupError("processes [7] in x will not die"), "hang in the kernel"),
        (JailError("the system-call filter could not be installed: Cannot allocate memory"), "net.core.bpf_jit_limit"),
        (JailError("the init did not answer within 15 s"), "the kernel's log (dmesg)"),
        (JailError("the jail ended by itself"), "the kernel's log (dmesg)"),
        (JailError("nsjail cannot be started: Permission denied"), "install what sandbox/README.md lists"),
        (WorkdirError("nobody can search it"), "every user must be able to search this folder"),
    ],
)
def test_each_cause_has_its_own_remedy(error: SandboxError, remedy: str, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(_: Path) -> None:
        raise error

    assert remedy in remedy_for(error)
    assert (CGROUP_MOUNT in remedy_for(error)) == (remedy is CGROUP_MOUNT)
    monkeypatch.setattr(health, "NsjailSandbox", fail)
    monkeypatch.setattr(health, "_AGAIN_S", 0.0)
    assert why_no_run(WORK_ROOT) == f"A jail does not open or run any more: {error}. What to do: {remedy_for(error)}."


def test_a_jail_that_fails_once_is_no_sickness(monkeypatch: pytest.MonkeyPatch) -> None:
    real, failures = health._run_one, [JailError("the init did not answer within 15 s")]

    def fail_once(work_root: Path) -> None:
        if failures:
            raise failures.pop()
        real(work_root)

    monkeypatch.setattr(health, "_run_one", fail_once)
    monkeypatch.setattr(health, "_AGAIN_S", 0.0)
    assert why_no_run(WORK_ROOT) == ""
    assert failures == []


@pytest.fixture
def shut_folder(folder: Path) -> Iterator[Path]:
    """A work folder that jails cannot enter."""
    made = folder / "work"
    made.mkdir(mode=0o700)
    yield made
    for group in Path("/sys/fs/cgroup").rglob("tally-????????"):
        if group.name == _group_name(made):
            group.rmdir()


def _group_name(work_root: Path) -> str:
    from sandbox.cgroups.cgroup import _parent_name

    return _parent_name(work_root)


def _answer(probe: Probe) -> str:
    answers: list[str] = []

    def has_answered() -> bool:
        answers.append(probe.look())
        return bool(answers[-1]) or (len(answers) > 1 and probe._process is None)

    wait_for(has_answered, "the probe has answered")
    return answers[-1]


@pytest.mark.thorough
def test_a_probe_says_nothing_of_a_host_that_is_well_and_why_of_one_that_is_sick(shut_folder: Path) -> None:
    probe = Probe(shut_folder, every_s=0, counts=False)
    why = _answer(probe)
    assert why.startswith("A jail does not open or run any more: ")
    assert "cgroup" not in why
    shut_folder.chmod(0o711)
    assert _answer(probe) == ""


def test_a_probe_waits_for_its_time(monkeypatch: pytest.MonkeyPatch) -> None:
    probe = Probe(WORK_ROOT, every_s=3_600, counts=False)
    monkeypatch.setattr(probe, "_command", ["/no/such"])
    assert probe.look() == ""


def test_a_probe_that_does_not_end_is_a_sickness_and_is_ended(monkeypatch: pytest.MonkeyPatch) -> None:
    probe = Probe(WORK_ROOT, every_s=0, counts=False)
    monkeypatch.setattr(probe, "_command", ["/bin/sleep", "600"])
    assert probe.look() == ""
    process = probe._process
    assert process is not None
    assert probe.look() == ""
    monkeypatch.setattr(health, "PATIENCE_S", 0.0)
    assert "a call of the kernel does not end" in probe.look()
    wait_for(lambda: not is_running(process.pid), "it is ended")
    process.communicate()


def test_a_probe_is_not_given_up_because_we_were_stopped(monkeypatch: pytest.MonkeyPatch) -> None:
    clock = [1_000.0]
    monkeypatch.setattr("sandbox.doctor.health.time.monotonic", lambda: clock[0])
    probe = Probe(WORK_ROOT, every_s=0, counts=False)
    monkeypatch.setattr(probe, "_command", ["/bin/sleep", "600"])
    assert probe.look() == ""
    process = probe._process
    assert process is not None
    clock[0] += 10 * health.PATIENCE_S
    assert probe.look() == ""
    for _ in range(int(health.PATIENCE_S / health.MOST_BETWEEN_LOOKS_S) - 1):
        clock[0] += health.MOST_BETWEEN_LOOKS_S
        said = probe.look()
    assert "a call of the kernel does not end" in said
    process.communicate()


def test_a_probe_that_breaks_is_said(monkeypatch: pytest.MonkeyPatch) -> None:
    probe = Probe(WORK_ROOT, every_s=0, counts=False)
    monkeypatch.setattr(probe, "_command", [sys.executable, "-c", "raise SystemExit(7)"])
    assert "exit code 7" in _answer(probe)
