"""Run a program in the jail for both levels of counting, and under strace outside, with the same start.

What differs between the two places is made the same first: the environment, the stack limit (a thread's stack above
40 MB is unmapped at its end) and clone3, which the jail's filter answers with ENOSYS so that the C library takes clone.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from sandbox.jail.nsjail import NsjailSandbox
from sandbox.types import MIB, Command, Destination, Image, JailSpec, Limits, Mount, Outcome, Profile
from tests.sandbox.metered import ALL_SIGNALS, PROGRAMS, SLOWNESS, Streams, compiled, straced

LIMITS = Limits(cpu_time_ms=5_000 * SLOWNESS, wall_time_ms=15_000 * SLOWNESS, memory_bytes=256 * MIB)
# No locale to look for, no arenas whose place is chance.
ENVIRONMENT = {"LC_ALL": "C", "TZ": "UTC", "PYTHONHASHSEED": "0", "MALLOC_ARENA_MAX": "1"}
JAIL_ENVIRONMENT = {"PATH": "/usr/local/bin:/usr/bin:/bin", "LANG": "C.UTF-8", "HOME": "/tmp", "TMPDIR": "/tmp"}
LIKE_THE_JAIL = (*ALL_SIGNALS, "prlimit", f"--stack={256 * MIB}:{256 * MIB}", "strace", "--inject=clone3:error=ENOSYS")
READS = ("read", "pread64", "readv", "preadv", "preadv2")
WRITES = ("write", "pwrite64", "writev", "pwritev", "pwritev2")


def family(counts: Mapping[str, int], names: tuple[str, ...]) -> int:
    """Calls of one family."""
    return sum(counts.get(name, 0) for name in names)


def command_of(source: str, programs: Path) -> list[str]:
    """How to run tests/sandbox/programs/`source`, built in `programs` if it has to be."""
    if not source.endswith(".py"):
        return [compiled(source, programs)]
    (programs / source).write_bytes((PROGRAMS / source).read_bytes())
    return ["/usr/bin/python3", "-I", "-S", "-B", str(programs / source)]


def under_strace(argv: list[str], given: Path, folder: Path) -> tuple[dict[str, int], bytes]:
    """Calls by name as strace counts them, and what came out on stdout; `folder` is to be the work folder."""
    streams = Streams(given, folder / "out", folder / "err")
    counts = straced(argv, streams, JAIL_ENVIRONMENT | ENVIRONMENT, LIKE_THE_JAIL)
    return counts, streams.stdout.read_bytes()


@dataclass(frozen=True)
class Runner:
    """Runs commands in jails that show the built programs under the paths that they have on the host."""

    sandbox: NsjailSandbox
    programs: Path
    given: Path  # stdin; the outputs land beside it
    limits: Limits = LIMITS
    destination: Destination = Destination.FILE

    def both(self, argv: list[str], *, coalesce: bool = False) -> tuple[Outcome, Outcome, Profile]:
        """The graded run's outcome, then the profile pass."""
        for name in ("graded", "graded.err", "profiled", "profiled.err"):
            (self.given.parent / name).unlink(missing_ok=True)
        shown = Mount(source=self.programs, target=str(self.programs))
        # what strace sees of the same program outside: Python there reads what others have installed too
        with self.sandbox.open_jail(JailSpec(mounts=(shown,), image=Image.TOOLS)) as jail:
            graded = jail.run(self._command(argv, "graded", coalesce), self.limits)
            return graded, *jail.profile(self._command(argv, "profiled", coalesce), self.limits)

    def output(self, name: str) -> bytes:
        """Stdout of the run "graded" or "profiled"."""
        return (self.given.parent / name).read_bytes()

    def _command(self, argv: list[str], name: str, coalesce: bool) -> Command:
        folder = self.given.parent
        return Command(
            argv=tuple(argv),
            environment=ENVIRONMENT,
            stdin=self.given,
            stdout=folder / name,
            destination=self.destination,
            stderr=folder / f"{name}.err",
            coalesce_output=coalesce,
        )
