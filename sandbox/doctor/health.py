"""Check whether this host's kernel is still healthy while a worker works; report a problem in one sentence.

A kernel can fall sick while everything was fine at the start: its memory for filters is used up, jails open no more,
processes hang in a call that does not end. Nothing of that is a program's fault, and mostly a restart of the host is
the one remedy.

How it works: `why_sick` looks at what the kernel says of itself (/proc), then opens a jail, runs a tiny program in it
and attaches the meter. Any of it may hang on a sick kernel, and no process that hangs there can be ended. So a worker
has a `Probe` do it in a process of its own and looks now and then whether that has answered. One whose worker has ended
goes on to its end: it closes its jail by itself.

Sources: proc(5), Documentation/admin-guide/sysctl/net.rst (bpf_jit_limit).
"""

import re
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

from sandbox.doctor.doctor import remedy_for
from sandbox.errors import SandboxError
from sandbox.jail.nsjail import NsjailSandbox
from sandbox.patience import Patience
from sandbox.types import MIB, Command, Ending, JailSpec, Limits

ROOT = Path(__file__).resolve().parents[2]
FULL_PERCENT = 90
HANGS_S = 30.0  # a thread that has not moved for so long in a call that cannot be interrupted
PATIENCE_S = 120.0  # for all that a probe does on a slow machine
MOST_BETWEEN_LOOKS_S = 30.0  # where more passed, we were stopped, and the probe may have been too
_AGAIN_S = 2.0
_TRUE = Command(argv=("/bin/true",))
_QUICK = Limits(cpu_time_ms=5_000, wall_time_ms=10_000, memory_bytes=64 * MIB)
_COMPILED_FILTERS = re.compile(r"^(bpf_jit_|bpf_prog_pack_alloc|alloc_new_pack)")  # who asked for memory for them
_OF_A_JAIL = re.compile(r"/tally-[0-9a-f]{8}(/|$)", re.MULTILINE)  # its group, of any work folder
_LONGEST = 200  # of an error's words, so that there is room for the remedy
_RESTART = "Restart this host: nothing else frees them"

Hanging = tuple[int, str, str]  # a thread: its number, when it began, how often it has given up its core


def why_sick(work_root: Path, *, counts: bool) -> str:
    """Return why this host should judge nothing now, in a sentence or two with the remedy; empty when it is well.

    `counts`: it could count system calls by name, so that it should be able to now. Takes a second, or HANGS_S
    when something seems to hang.
    """
    why = why_kernel_sick() or why_no_run(work_root)
    if why or not counts:
        return why
    from sandbox.meter.meter import meter_problem

    problem = meter_problem()
    if problem is None:
        return ""
    return (
        f"System calls cannot be counted by name any more: {problem}. What to do: look into the kernel's log (dmesg); "
        "if its memory for filters (BPF) is used up, restart this host."
    )


def why_kernel_sick(proc: Path = Path("/proc")) -> str:
    """Run the part of `why_sick` that reads the kernel's own figures; opens no jail."""
    return _why_no_filters(proc) or _why_hanging(proc)


def why_no_run(work_root: Path) -> str:
    """Run the part of `why_sick` that opens a jail and runs a program; a failure is retried once."""
    try:
        try:
            _run_one(work_root)
        except SandboxError:
            time.sleep(_AGAIN_S)
            _run_one(work_root)
    except SandboxError as error:
        return f"A jail does not open or run any more: {str(error)[:_LONGEST]}. What to do: {remedy_for(error)}."
    return ""


def _why_no_filters(proc: Path) -> str:
    try:
        limit = int((proc / "sys/net/core/bpf_jit_limit").read_text())
        # "from-to bytes caller+offset/size ..."
        fields = [line.split(maxsplit=3) for line in (proc / "vmallocinfo").read_text().splitlines()]
        used = sum(int(area[1]) for area in fields if len(area) > 2 and _COMPILED_FILTERS.match(area[2]))
    except (OSError, ValueError):  # not every kernel tells, and not everybody: then a jail that fails will
        return ""
    if used * 100 < limit * FULL_PERCENT:
        return ""
    return (
        f"The kernel's memory for compiled filters (BPF) is nearly full: {used // MIB} of {limit // MIB} MiB, and each "
        "jail needs some. What to do: end what fills it (bpftool prog shows who), raise the sysctl "
        "net.core.bpf_jit_limit, or restart this host."
    )


def _why_hanging(proc: Path) -> str:
    first = hanging = set(_waiting_threads(proc))
    deadline = time.monotonic() + HANGS_S
    while hanging and time.monotonic() < deadline:
        time.sleep(HANGS_S / 30)
        hanging = first & set(_waiting_threads(proc))
    if not hanging:
        return ""
    numbers = ", ".join(str(number) for number, _, _ in sorted(hanging)[:5])
    more = f" and {len(hanging) - 5} more" if len(hanging) > 5 else ""
    return (
        f"Processes of jails hang in the kernel (state D) and cannot be ended: {numbers}{more}. What to do: the "
        f"kernel's log (dmesg) says where. {_RESTART}."
    )


def _waiting_threads(proc: Path) -> Iterator[Hanging]:
    """Return the jails' threads that are in an uninterruptible call now."""
    for process in proc.iterdir():
        if not process.name.isdigit():
            continue
        with suppress(OSError):  # it has ended
            if not _OF_A_JAIL.search((process / "cgroup").read_text()):
                continue
            for thread in (process / "task").iterdir():
                with suppress(OSError):
                    # the name before may hold anything
                    fields = (thread / "stat").read_text().rpartition(")")[2].split()
                    if fields[0] == "D":
                        status = (thread / "status").read_text().splitlines()
                        switches = " ".join(line for line in status if "ctxt_switches:" in line)
                        yield int(thread.name), fields[19], switches


def _run_one(work_root: Path) -> None:
    """Run one program without the meter's lock, which may be held for minutes; nobody measures this run."""
    with NsjailSandbox(work_root).open_jail(JailSpec()) as jail, jail.prepared(_TRUE, _QUICK) as run:
        run.start()
        outcome, _ = run.finish(Patience(run.patience_s))
    if outcome.ending is not Ending.EXITED or outcome.exit_code != 0:
        raise SandboxError(f"a program that does nothing ended with {outcome.ending.value} {outcome.detail}")


class Probe:
    """Checks a host repeatedly: one `why_sick` after the other, each in its own process. Not thread-safe."""

    def __init__(self, work_root: Path, *, every_s: float, counts: bool) -> None:
        options = ["--counts"] if counts else []
        self._command = [sys.executable, "-m", "sandbox.doctor.health", str(work_root), *options]
        self._every_s = every_s
        self._process: subprocess.Popen[bytes] | None = None
        self._waited_s = 0.0  # since the last one began, or we did; time in which we stood still counts as one look
        self._looked_at = time.monotonic()

    def look(self) -> str:
        """Return why the host is sick, from the probe that ended since the last call, else empty. Never waits."""
        now = time.monotonic()
        self._waited_s += min(now - self._looked_at, MOST_BETWEEN_LOOKS_S)
        self._looked_at = now
        if self._process is None:
            if self._waited_s >= self._every_s:
                self._waited_s = 0.0
                self._process = subprocess.Popen(
                    self._command, cwd=ROOT, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, start_new_session=True
                )
            return ""
        if self._process.poll() is not None:
            process, self._process = self._process, None
            output = process.communicate()[0].decode("utf-8", "replace").strip()
            failed = f"The worker's test of its host failed by itself (exit code {process.returncode}): see its log."
            return (output or failed) if process.returncode else ""
        if self._waited_s < PATIENCE_S:
            return ""
        self._process.kill()  # if it can be: it is in a call that does not end
        self._process = None
        return (
            f"A jail neither opened nor failed within {PATIENCE_S:g} s: a call of the kernel does not end. What to do: "
            "the kernel's log (dmesg) says where. If this goes on, restart this host."
        )


if __name__ == "__main__":
    # WORK_DIR [--counts]: print the sentence and exit with 1 when this host is sick
    sentence = why_sick(Path(sys.argv[1]), counts="--counts" in sys.argv)
    print(sentence)
    sys.exit(1 if sentence else 0)
