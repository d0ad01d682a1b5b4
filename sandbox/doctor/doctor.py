"""Check whether this machine can judge: open a jail and try every limit. Each check comes with its remedy.

A worker runs `examine_host` at its start and takes no work while a finding that is needed failed.
"""

import errno
import os
import subprocess
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from sandbox.cgroups.cgroupfs import find_hierarchies
from sandbox.doctor.overhead import USUAL_WALL_US, measure
from sandbox.errors import CgroupError, ImageError, SandboxError, WorkdirError
from sandbox.image.resident import REMEDY, RESIDENT, resident_root
from sandbox.image.runtimes import what_is_missing
from sandbox.jail.nsjail import NsjailSandbox
from sandbox.meter.perf import sampling_problem
from sandbox.privileges import CAPABILITIES, can_be_jail_users, is_held
from sandbox.types import MIB, Command, Destination, Ending, Image, JailSpec, Limits, Outcome, Sandbox

_QUICK = Limits(cpu_time_ms=2_000, wall_time_ms=5_000, memory_bytes=64 * MIB)
_INSTALL = "install what sandbox/README.md lists"
_LOOK = "check the kernel's log (dmesg); if this continues, restart this host"
_NO_NEED = "everything else works without it"
_NOT_THERE = ("not built", "not installed", "cannot be started")


@dataclass(frozen=True, kw_only=True, slots=True)
class Check:
    """One check. `remedy` says how to fix a failure; only a failed needed check keeps a worker from work."""

    name: str
    ok: bool
    detail: str
    remedy: str = ""
    needed: bool = True


@dataclass(frozen=True, kw_only=True, slots=True)
class _Trial:
    """A small program and its expected ending under its limits."""

    name: str
    argv: tuple[str, ...]
    limits: Limits
    expected: Callable[[Outcome], bool]
    destination: Destination = Destination.FILE
    remedy: str = "this kernel does not enforce the limit in a control group: enable its controller"


def _passes(outcome: Outcome) -> bool:
    return outcome.ending is Ending.EXITED and outcome.exit_code == 0


def _ends(ending: Ending) -> Callable[[Outcome], bool]:
    return lambda outcome: outcome.ending is ending


_TRIALS = (
    _Trial(
        name="an honest program passes",
        argv=("/bin/sh", "-c", "exit 0"),
        limits=_QUICK,
        expected=_passes,
        remedy=_INSTALL,
    ),
    _Trial(
        name="a program can write to a terminal",
        argv=("/usr/bin/test", "-t", "1"),
        limits=_QUICK,
        expected=_passes,
        destination=Destination.TERMINAL,
        remedy="mount devpts on /dev/pts",
    ),
    _Trial(
        name="the CPU time limit bites",
        argv=("/bin/sh", "-c", "while :; do :; done"),
        limits=Limits(cpu_time_ms=100, wall_time_ms=5_000),
        # stopped soon after its limit
        expected=lambda outcome: outcome.ending is Ending.CPU_LIMIT and outcome.usage.cpu_time_us < 1_000_000,
    ),
    _Trial(
        name="the wall time limit bites",
        argv=("/bin/sleep", "30"),
        limits=Limits(cpu_time_ms=2_000, wall_time_ms=200),
        expected=_ends(Ending.WALL_LIMIT),
    ),
    _Trial(
        name="the memory limit bites",
        argv=("/bin/dd", "if=/dev/zero", "of=/dev/null", "bs=96M", "count=1"),
        limits=Limits(
            cpu_time_ms=5_000, wall_time_ms=10_000, memory_bytes=32 * MIB, output_bytes=MIB, stderr_bytes=MIB
        ),
        # stopped at its limit; one that got all its memory fails this too
        expected=lambda outcome: outcome.ending is Ending.MEMORY_LIMIT and outcome.usage.peak_memory_bytes < 48 * MIB,
    ),
    _Trial(
        name="the output limit bites",
        argv=("/usr/bin/head", "-c", str(64 * MIB), "/dev/zero"),
        limits=Limits(cpu_time_ms=5_000, wall_time_ms=10_000, output_bytes=MIB),
        expected=_ends(Ending.OUTPUT_LIMIT),
    ),
    _Trial(
        name="the process limit bites",
        argv=("/bin/sh", "-c", "for i in 1 2 3 4 5 6 7 8 9; do sleep 1 & done; wait"),
        limits=Limits(cpu_time_ms=2_000, wall_time_ms=5_000, processes=4),
        expected=lambda outcome: outcome.ending is Ending.EXITED and outcome.exit_code != 0,
    ),
)
_WITHOUT_LIMITS = tuple(trial for trial in _TRIALS if trial.expected is _passes)


def _check_host() -> list[Check]:
    """Check who we are, what we may do, control groups, and memory for what programs see (`sandbox.image.resident`)."""
    is_root, has_users = os.geteuid() == 0, can_be_jail_users()
    user = Check(
        name="user 0",
        ok=is_root and has_users,
        detail=f"running as user {os.geteuid()}{'' if has_users else ' of a user namespace, without users for jails'}",
        remedy="start as root of the host itself, with the capabilities of sandbox/privileges.md and no more: "
        "no other user may move a jail into its control groups",
    )

    capabilities = [
        Check(
            name=capability.name,
            ok=is_held(capability),
            detail=capability.reason if is_held(capability) else f"missing; it {capability.reason}",
            remedy=f"grant it: in a container with --cap-add {capability.name.removeprefix('CAP_')}",
            needed=capability.needed,
        )
        for capability in CAPABILITIES
    ]

    name = "control groups"
    try:
        version = find_hierarchies().version
        hybrid = version == 1 and Path("/sys/fs/cgroup/unified").is_dir()
        groups = Check(name=name, ok=True, detail=f"version {version}{' (hybrid host)' if hybrid else ''}")
    except SandboxError as error:
        groups = Check(name=name, ok=False, detail=str(error), remedy="mount cgroup2 on /sys/fs/cgroup")
    name = "memory for what programs see"
    try:
        room = os.statvfs(resident_root())
        free = f"{room.f_bavail * room.f_frsize // MIB} MiB free"
        memory = Check(name=name, ok=True, detail=f"{RESIDENT} (tmpfs, {free})")
    except ImageError as error:
        memory = Check(name=name, ok=False, detail=str(error), remedy=REMEDY)
    return [user, *capabilities, groups, memory]


def _check_what_helps(sandbox: Sandbox) -> list[Check]:
    """Check what makes measurements better, and what counts more of a run: a worker can judge without."""
    can_pin, niceness, missing = find_hierarchies().can_pin, os.nice(0), what_is_missing()
    swaps = [line.split()[0] for line in Path("/proc/swaps").read_text().splitlines()[1:]]
    meter, samples = sandbox.meter_problem(), sampling_problem()
    check = partial(Check, needed=False)
    return [
        check(
            name="runs are pinned to a core",
            ok=can_pin,
            detail="the controller cpuset is there" if can_pin else "the controller cpuset is missing",
            remedy="enable the controller cpuset: times are noisier without it",
        ),
        check(  # a jail inherits niceness, and lowering it takes CAP_SYS_NICE, which we do not have
            name="runs are not niced",
            ok=niceness <= 0,
            detail=f"this process is niced by {niceness}, and so is every run" if niceness > 0 else "it is not niced",
            remedy="start it without nice, or its runs wait for other processes on the core",
        ),
        check(
            name="memory is not swapped",
            ok=not swaps,
            detail=", ".join(swaps) or "there is no swap",
            remedy="switch swap off (swapoff -a): runtimes must stay in memory, and swapping makes times noisier",
        ),
        check(
            name="locales and time zones",
            ok=not missing,
            detail=f"programs have {missing}" if missing else "programs have the usual ones",
            remedy="install locales and the Python package tzdata, then make -C sandbox/native",
        ),
        check(
            name="system calls by name",
            ok=meter is None,
            detail=str(meter or "the kernel meter is loaded"),
            remedy=_NO_NEED,
        ),
        check(
            name="CPU time by line",
            ok=samples is None,
            detail=samples or "the kernel samples CPU time",
            remedy=_NO_NEED,
        ),
    ]


def _check_overhead(sandbox: Sandbox) -> Check:
    name = "what a run adds"
    try:
        overhead = measure(sandbox, runs=20)
    except SandboxError as error:
        return Check(name=name, ok=False, detail=str(error), remedy=_INSTALL)
    return Check(
        name=name,
        ok=overhead.is_usual,
        detail=f"{overhead.wall_us / 1_000:.2f} ms around each run",
        remedy=f"usually below {USUAL_WALL_US // 1_000} ms: this machine may be overloaded, or its disk slow",
        needed=False,
    )


def _run_trials(sandbox: Sandbox, trials: tuple[_Trial, ...]) -> list[Check]:
    checks = []
    with sandbox.open_jail(JailSpec(image=Image.TOOLS)) as jail:
        for trial in trials:
            outcome = jail.run(Command(argv=trial.argv, destination=trial.destination), trial.limits)
            detail = f"{outcome.ending.value} {outcome.detail}".strip()
            checks.append(Check(name=trial.name, ok=trial.expected(outcome), detail=detail, remedy=trial.remedy))
    return checks


_STEP_S = 10.0
_STEP_ENVIRONMENT = {"PATH": os.defpath, "LC_ALL": "C"}
_OWN_MOUNTS = ("unshare", "--user", "--mount", "--keep-caps")
_STEPS = (  # what a jail needs of unshare(1), and what is refused where it fails, with the remedy
    (
        ("unshare", "--user", "true"),
        "user namespaces are refused: in a container use --security-opt seccomp=sandbox/seccomp.json",
    ),
    (
        (*_OWN_MOUNTS, "true"),  # it makes all mounts private
        "mounts in a user namespace are refused: in a container use --security-opt apparmor=unconfined and "
        "seccomp=sandbox/seccomp.json, on Ubuntu also sysctl kernel.apparmor_restrict_unprivileged_userns=0",
    ),
    (
        (*_OWN_MOUNTS, "sh", "-c", "! /sbin/pivot_root . . 2>&1 | grep 'not permitted'"),  # else "invalid"
        "pivot_root is refused: in a container use --security-opt seccomp=sandbox/seccomp.json",
    ),
    (
        (*_OWN_MOUNTS, "--pid", "--fork", "--mount-proc", "true"),
        "a new /proc is refused, for parts of this one are hidden: "
        "in a container use --security-opt systempaths=unconfined",
    ),
)
_SWITCHES = ("user/max_user_namespaces", "kernel/unprivileged_userns_clone")  # below /proc/sys: 0 forbids


def why_no_jail() -> str | None:
    """Return what this host forbids, and the remedy, without a full stop; None when it allows everything.

    It repeats nsjail's work in small steps with unshare(1) of util-linux; nothing is left when one ends. They map no
    user, for mapping user 0 would need CAP_SETFCAP, which no jail does.
    """
    for argv, refused in _STEPS:
        try:
            subprocess.run(argv, capture_output=True, env=_STEP_ENVIRONMENT, timeout=_STEP_S, check=True)
        except (OSError, subprocess.SubprocessError):
            switches = [name for name in _SWITCHES if Path("/proc/sys", name).exists()]
            off = next((name for name in switches if Path("/proc/sys", name).read_text().strip() == "0"), None)
            why = f"user namespaces are switched off: raise the sysctl {off.replace('/', '.')}" if off else ""
            return why or refused
    return None


def remedy_for(error: SandboxError) -> str:
    """Return the remedy for a sandbox failure, without a capital and a full stop."""
    message = str(error)
    if isinstance(error, ImageError):
        return REMEDY
    if isinstance(error, WorkdirError):
        return "every user must be able to search this folder (not below /root)"
    if "(ulimit " in message:
        return "with systemd set LimitNOFILE= and its like for the worker, in a container use --ulimit"
    if "cannot enter a control group" in message:
        return "in a container use --cgroupns host: cgroup v2 closes groups beside a container's own"
    if isinstance(error, CgroupError):
        # only unwritable groups are a matter of mounts
        reason = error.__cause__.errno if isinstance(error.__cause__, OSError) else None
        if "will not die" in message:
            return f"processes of an earlier run hang in the kernel: {_LOOK}"
        if reason in (errno.ENOMEM, errno.ENOSPC, errno.EAGAIN):
            return "the kernel has no memory for another control group, dead groups still hold it: restart this host"
        if reason in (errno.EBUSY, errno.EIO, errno.EINTR):
            return _LOOK
        return "in a container mount the host's /sys/fs/cgroup writable: see sandbox/privileges.md"
    if "filter could not be installed" in message:
        return "the kernel has no memory for filters: raise the sysctl net.core.bpf_jit_limit, or restart this host"
    if any(words in message for words in _NOT_THERE):
        return _INSTALL
    return why_no_jail() or _LOOK


def examine(work_root: Path) -> list[Check]:
    """Check everything a worker needs, in order of dependency. Never raises SandboxError."""
    return _examine(work_root, _TRIALS, measures=True)


def examine_host(work_root: Path) -> list[Check]:
    """Run all checks except limits and overhead: the caller tests limits by grading and measures overhead itself."""
    return _examine(work_root, _WITHOUT_LIMITS, measures=False)


def _examine(work_root: Path, trials: tuple[_Trial, ...], *, measures: bool) -> list[Check]:
    checks = _check_host()
    if why_unfit(checks):
        return checks
    try:
        sandbox = NsjailSandbox(work_root)
        checks += _run_trials(sandbox, trials)
        checks += _check_what_helps(sandbox)
        checks += [_check_overhead(sandbox)] if measures else []
    except SandboxError as error:
        checks.append(Check(name="a jail opens", ok=False, detail=str(error), remedy=remedy_for(error)))
    return checks


def why_unfit(checks: list[Check]) -> str | None:
    """Return one sentence on why this machine cannot judge; None when it can."""
    for check in checks:
        if check.needed and not check.ok:
            return f"{check.name}: {check.detail}. {check.remedy}"
    return None
