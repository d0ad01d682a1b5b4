"""The real sandbox under observation: every byte of output is searched and every jail recorded.

What grading keeps are excerpts of the samples. Whoever prints a secret beyond them, or in a hidden test, would go
unseen; so the files with the streams are read here in full, right after the run and before grading takes them away.
"""

import os
import re
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

from sandbox.cgroups.cgroup import ControlGroups
from sandbox.errors import MeterProblem
from sandbox.jail.jail import OpenJail
from sandbox.jail.nsjail import NsjailSandbox
from sandbox.jail.prepared import PreparedRun
from sandbox.jail.streams import PipeEnds
from sandbox.types import Command, Destination, JailSpec, Limits
from tests.hostile.corpus.corpus import CANARY, Case, forbidden_in

_CANARIES = (re.compile(f"{CANARY}[A-Z]+-[0-9a-f]{{32}}"),)
_BLOCK_BYTES = 1 << 20
_OVERLAP_BYTES = 4_096  # what a pattern finds across two blocks is no longer


def forbidden_in_file(path: Path, patterns: tuple[re.Pattern[str], ...]) -> list[str]:
    """What must not be in the file and is; read in blocks, since it may be large or sparse."""
    found: list[str] = []
    before = b"\n"
    with path.open("rb") as file:
        while len(found) < 5 and (block := file.read(_BLOCK_BYTES)):
            found += forbidden_in(before + block, patterns)
            before = b"\0" + block[-_OVERLAP_BYTES:]  # it begins in the middle of a line
    return found


class _WatchedJail(OpenJail):
    """A jail whose runs are searched, alone or in a pair; of a pair's pipes nothing is kept."""

    def __init__(self, jail: OpenJail, witness: "Witness") -> None:
        vars(self).update(vars(jail))
        self._witness = witness

    @contextmanager
    def prepared(self, command: Command, limits: Limits, ends: PipeEnds | None = None) -> Iterator[PreparedRun]:
        self._witness.running.set()
        with super().prepared(replace(command, destination=self._witness.destination), limits, ends) as prepared:
            yield prepared
        self._search(command if ends is None else replace(command, stdout=None))

    def _search(self, command: Command) -> None:
        for path in (command.stdout, command.stderr):
            if path is not None:
                self._witness.forbidden += forbidden_in_file(path, self._witness.patterns)
        for wanted in command.collect:  # a program may well hold the word that it would print, but no canary
            if wanted.target.exists():
                self._witness.forbidden += forbidden_in_file(wanted.target, _CANARIES)


class Witness:
    """A `sandbox.types.Sandbox` around the real one."""

    def __init__(self, sandbox: NsjailSandbox, groups: ControlGroups) -> None:
        self._sandbox = sandbox
        self.destination = Destination.FILE  # of every program's stdout
        self.patterns: tuple[re.Pattern[str], ...] = _CANARIES  # what no stream may hold
        self._groups = groups
        self.forbidden: list[str] = []
        self.jails: set[str] = set()
        self.pid_namespaces: set[int] = set()  # a number that is free is soon another jail's
        self.users: set[int] = set()  # of these jails' processes
        self.running = threading.Event()

    def expect(self, case: Case) -> None:
        """Look from now on for what this case's programs must not print."""
        self.destination, self.patterns = Destination(case.destination), case.forbid

    @contextmanager
    def open_jail(self, spec: JailSpec) -> Iterator[_WatchedJail]:
        with self._sandbox.open_jail(spec) as jail:
            self.jails |= self._groups.names()
            namespaces = {pid_namespace(pid) for pid in processes_in(self.jails)}
            self.pid_namespaces |= namespaces - {0, OWN_NAMESPACE}
            self.users |= {jail._group.users.init, jail._group.users.program}
            yield _WatchedJail(jail, self)

    def meter_problem(self) -> MeterProblem | None:
        return self._sandbox.meter_problem()


def processes_in(jails: set[str]) -> list[int]:
    """The processes in the control groups of these jails."""
    return [pid for pid in all_processes() if any(f"/{name}" in _groups_of(pid) for name in tuple(jails))]


def all_processes() -> list[int]:
    """Every process of the host."""
    return [int(entry.name) for entry in Path("/proc").iterdir() if entry.name.isdigit()]


def _groups_of(pid: int) -> str:
    try:
        return Path(f"/proc/{pid}/cgroup").read_text()
    except OSError:  # it has ended meanwhile
        return ""


def pid_namespace(pid: int) -> int:
    """The number of a process's PID namespace; 0 when it has ended."""
    try:
        return Path(f"/proc/{pid}/ns/pid").stat().st_ino
    except OSError:
        return 0


def user_of(pid: int) -> int:
    """The user of a process as the host sees it; -1 when it has ended."""
    try:
        lines = Path(f"/proc/{pid}/status").read_text().splitlines()
    except OSError:
        return -1
    return next(int(line.split()[1]) for line in lines if line.startswith("Uid:"))


OWN_NAMESPACE = pid_namespace(os.getpid())
