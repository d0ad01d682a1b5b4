"""Peers that are commands: nsjail, started for each case, and isolate, with one box for all or one for each."""

import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from bench.jail.contest import INSIDE, LIMITS
from bench.peer.runs import Places, Program, Run, WrongRun, check, fresh
from sandbox.cgroups.cgroupfs import find_hierarchies
from sandbox.doctor.overhead import BareRunner
from sandbox.errors import JailError
from sandbox.types import MIB

_USER = "60200"  # of nobody
_KEPT_BOX, _FRESH_BOX = "98", "99"  # isolate's numbers of ours: whoever has boxes of these numbers loses them
_CPU_S, _WALL_S = LIMITS.cpu_time_ms // 1_000, LIMITS.wall_time_ms // 1_000
_PROCESSES = LIMITS.processes


class Nsjail:
    """nsjail with all its namespaces and with resource limits, its fastest variant; its control groups cost more."""

    def __init__(self, binary: Path, runner: BareRunner, places: Places) -> None:
        self._runner = runner
        self._stdout = places.written / "nsjail.out"
        self._command = (str(binary), *_NSJAIL_OPTIONS, "--bindmount_ro", f"{places.programs}:{INSIDE}", "--")

    def run(self, program: Program) -> Run:
        """One run; nsjail reports no CPU time, so it is what wait4 says of nsjail and all below it. Raises WrongRun."""
        try:
            run = self._runner.run((*self._command, *program.argv_in(INSIDE)), stdout=fresh(self._stdout))
        except JailError as error:
            raise WrongRun(str(error)) from error
        check(self._stdout.read_bytes(), program)
        return Run(wall_us=run.wall_time_us, cpu_us=run.cpu_time_us)


_NSJAIL_OPTIONS = (
    *("--mode", "o", "--really_quiet", "--hostname", "jail", "--user", _USER, "--group", _USER, "--iface_no_lo"),
    *("--time_limit", str(_WALL_S), "--rlimit_cpu", str(_CPU_S), "--rlimit_as", str(LIMITS.memory_bytes // MIB)),
    *("--rlimit_fsize", str(LIMITS.output_bytes // MIB), "--rlimit_nofile", str(LIMITS.open_files)),
    *("--rlimit_nproc", str(_PROCESSES), "--nice_level", "0", "--tmpfsmount", "/tmp"),  # noqa: S108 - the jail's own
    *(part for path in ("/bin", "/lib", "/lib64", "/usr", "/dev/null", "/dev/urandom") for part in ("-R", path)),
)


class Isolate:
    """One box of isolate. With `is_fresh` it is created before each case and removed after it, within the measured
    time.
    """

    def __init__(self, binary: Path, runner: BareRunner, places: Places, *, is_fresh: bool) -> None:
        self._runner = runner
        self._is_fresh = is_fresh
        self._stdout, self._meta = places.written / "isolate.out", places.written / "isolate.meta"
        box = _FRESH_BOX if is_fresh else _KEPT_BOX
        self._box = (str(binary), f"--box-id={box}", *(("--cg",) if isolate_has_groups() else ()))
        self._init, self._cleanup = (*self._box, "--init"), (*self._box, "--cleanup")
        self._options = (
            *("--silent", f"--meta={self._meta}", f"--dir={INSIDE}={places.programs}", f"--processes={_PROCESSES}"),
            *(f"--time={_CPU_S}", f"--wall-time={_WALL_S}", f"--open-files={LIMITS.open_files}"),
            *(f"--fsize={LIMITS.output_bytes // 1_024}", self._memory()),
        )

    def run(self, program: Program) -> Run:
        """One run; CPU time is isolate's own, in whole milliseconds. Raises WrongRun."""
        stdout = fresh(self._stdout)
        case = (*self._box, *self._options, "--run", "--", *program.argv_in(INSIDE))
        commands = (self._init, case, self._cleanup) if self._is_fresh else (case,)
        walls = [self._wall_us(each, stdout if each is case else None) for each in commands]
        check(stdout.read_bytes(), program)
        return Run(wall_us=sum(walls), cpu_us=cpu_us_of(self._meta.read_text()))

    def _wall_us(self, command: tuple[str, ...], stdout: Path | None = None) -> int:
        try:
            return self._runner.run(command, stdout=stdout).wall_time_us
        except JailError as error:
            raise WrongRun(f"{error}; {self._said()}") from error

    @contextmanager
    def kept(self) -> Iterator["Isolate"]:
        """Have a box until the end of the `with`."""
        self._tell("--init")
        try:
            yield self
        finally:
            self._tell("--cleanup")

    def _memory(self) -> str:
        return f"--{'cg-mem' if isolate_has_groups() else 'mem'}={LIMITS.memory_bytes // 1_024}"

    def _said(self) -> str:
        return " ".join(self._meta.read_text().split()) if self._meta.exists() else "no account of the run"

    def _tell(self, what: str) -> None:
        told = subprocess.run([*self._box, what], capture_output=True, text=True, check=False)
        if told.returncode:
            raise WrongRun(f"isolate {what}: {told.stderr.strip()}")


class FreshIsolate(Isolate):
    """A box for each case."""

    def opening_us(self) -> float:
        """Both commands, since a box that is left is in the way of the next one. Raises WrongRun."""
        return self._wall_us(self._init) + self._wall_us(self._cleanup)


def isolate_has_groups() -> bool:
    """Whether isolate can have control groups here: it knows version 2 alone."""
    return find_hierarchies().version == 2


def cpu_us_of(meta: str) -> float:
    """The CPU time in an account of isolate's, in microseconds. Raises WrongRun when the run did not end well."""
    account = dict(line.split(":", 1) for line in meta.splitlines() if ":" in line)
    if "status" in account or account.get("exitcode") != "0" or "time" not in account:
        raise WrongRun(f"isolate says: {' '.join(meta.split())}")
    return float(account["time"]) * 1_000_000
