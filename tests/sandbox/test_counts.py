"""Both levels of counting through the real jail, against strace on the same programs outside.

What differs between the two places is made the same first: the environment, the stack limit (a thread's stack above
40 MB is unmapped at its end) and clone3, which the jail's filter answers with ENOSYS so that the C library takes clone.
"""

from collections.abc import Mapping
from pathlib import Path

import pytest

from sandbox.nsjail import NsjailSandbox
from sandbox.types import MIB, Command, Ending, JailSpec, Limits, Mount, Outcome, Profile, StreamUse
from tests.sandbox.metered import PROGRAMS, Streams, compiled, straced

LIMITS = Limits(cpu_time_ms=5_000, wall_time_ms=15_000, memory_bytes=256 * MIB)
# No locale to look for, no arenas whose place is chance.
ENVIRONMENT = {"LC_ALL": "C", "TZ": "UTC", "PYTHONHASHSEED": "0", "MALLOC_ARENA_MAX": "1"}
JAIL_ENVIRONMENT = {"PATH": "/usr/local/bin:/usr/bin:/bin", "LANG": "C.UTF-8", "HOME": "/tmp", "TMPDIR": "/tmp"}
LIKE_THE_JAIL = ("prlimit", f"--stack={256 * MIB}:{256 * MIB}", "strace", "--inject=clone3:error=ENOSYS")
READS = ("read", "pread64", "readv", "preadv", "preadv2")
WRITES = ("write", "pwrite64", "writev", "pwritev", "pwritev2")
LOCK_CALLS = {"futex"}  # taking turns in the Python interpreter: as many as it happens to take


@pytest.fixture
def programs(folder: Path) -> Path:
    """Where programs are built; the jail shows it under the same name."""
    made = folder / "programs"
    made.mkdir(mode=0o755)
    return made


@pytest.fixture
def given(folder: Path) -> Path:
    path = folder / "in"
    path.write_text("".join(f"{number}\n" for number in range(5000)))
    return path


class Runner:
    """Runs commands in one jail that shows the built programs."""

    def __init__(self, sandbox: NsjailSandbox, programs: Path, given: Path) -> None:
        self._sandbox = sandbox
        self._spec = JailSpec(mounts=(Mount(source=programs, target=str(programs)),))
        self._given = given

    def both(
        self, argv: list[str], limits: Limits = LIMITS, *, coalesce: bool = False
    ) -> tuple[Outcome, Outcome, Profile]:
        """The graded run's outcome, then the profile pass."""
        with self._sandbox.open_jail(self._spec) as jail:
            graded = jail.run(self._command(argv, "graded", coalesce), limits)
            return graded, *jail.profile(self._command(argv, "profiled", coalesce), limits)

    def output(self, name: str) -> bytes:
        return (self._given.parent / name).read_bytes()

    def _command(self, argv: list[str], name: str, coalesce: bool) -> Command:
        return Command(
            argv=tuple(argv),
            environment=ENVIRONMENT,
            stdin=self._given,
            stdout=self._given.parent / name,
            stderr=self._given.parent / f"{name}.err",
            coalesce_output=coalesce,
        )


@pytest.fixture
def runner(sandbox: NsjailSandbox, programs: Path, given: Path) -> Runner:
    return Runner(sandbox, programs, given)


def family(counts: Mapping[str, int], names: tuple[str, ...]) -> int:
    return sum(counts.get(name, 0) for name in names)


@pytest.mark.parametrize("source", ["thread_and_child.c", "lines.cpp", "prints.py"])
def test_both_levels_equal_strace(source: str, runner: Runner, programs: Path, given: Path, tmp_path: Path) -> None:
    if source.endswith(".py"):
        (programs / source).write_bytes((PROGRAMS / source).read_bytes())
        argv = ["/usr/bin/python3", "-I", "-S", "-B", str(programs / source)]
    else:
        argv = [compiled(source, programs)]
    graded, profiled, profile = runner.both(argv)
    streams = Streams(given, tmp_path / "out", tmp_path / "err")
    expected = straced(argv, streams, JAIL_ENVIRONMENT | ENVIRONMENT, LIKE_THE_JAIL)
    ignored = LOCK_CALLS if source.endswith(".py") else set()

    assert (graded.ending, profiled.ending) == (Ending.EXITED, Ending.EXITED)
    assert streams.stdout.read_bytes() == runner.output("graded") == runner.output("profiled")
    assert {name: count for name, count in profile.syscalls.items() if name not in ignored} == {
        name: count for name, count in expected.items() if name not in ignored
    }
    assert graded.io == profiled.io
    assert (graded.io.read_calls, graded.io.write_calls) == (family(expected, READS), family(expected, WRITES))
    assert graded.io.read_bytes == profile.streams["stdin"].bytes + profile.streams["files"].bytes
    assert profile.streams["stdout"].bytes == graded.stdout_bytes
    assert profile.streams["stderr"] == StreamUse(calls=profile.streams["stderr"].calls, bytes=graded.stderr_bytes)
    assert sum(stream.calls for stream in profile.streams.values()) == family(expected, READS + WRITES)


@pytest.mark.parametrize(
    ("limits", "ending"),
    [
        (Limits(cpu_time_ms=150, wall_time_ms=5_000, overrun_percent=0), Ending.CPU_LIMIT),
        (Limits(cpu_time_ms=5_000, wall_time_ms=400), Ending.WALL_LIMIT),
        (Limits(cpu_time_ms=5_000, wall_time_ms=9_000, output_bytes=50_000), Ending.OUTPUT_LIMIT),
    ],
    ids=["cpu", "wall", "output"],
)
def test_a_run_stopped_at_a_limit_is_counted_to_its_last_write(
    limits: Limits, ending: Ending, runner: Runner, programs: Path
) -> None:
    graded, profiled, profile = runner.both([compiled("writes_forever.c", programs)], limits)
    assert graded.ending is profiled.ending is ending
    for outcome in (graded, profiled):
        assert outcome.io.write_bytes == outcome.stdout_bytes > 0
        assert outcome.io.write_calls - outcome.stdout_bytes in (0, 1)  # the one that the kill cut short
    written = profiled.stdout_bytes
    assert profile.syscalls["write"] == written
    assert profile.streams["stdout"] == StreamUse(calls=written, bytes=written)


@pytest.mark.parametrize("road", ["mixed", "redirects", "forks", "to_crash", "large"])
def test_every_byte_of_stdout_is_seen_on_its_stream(road: str, runner: Runner, programs: Path) -> None:
    graded, profiled, profile = runner.both([compiled("roads.c", programs), road])
    assert profile.streams["stdout"].bytes == profiled.stdout_bytes == graded.stdout_bytes > 0
    assert profiled.io.write_calls == graded.io.write_calls == family(profile.syscalls, WRITES)


def test_a_coalesced_run_says_the_same_in_a_handful_of_writes(runner: Runner, programs: Path) -> None:
    argv = [compiled("roads.c", programs), "prints"]
    plain, _, plain_profile = runner.both(argv)
    expected = runner.output("graded")
    for name in ("graded", "graded.err", "profiled", "profiled.err"):
        (programs.parent / name).unlink()
    gathered, _, profile = runner.both(argv, coalesce=True)
    assert runner.output("graded") == expected
    assert plain.io.write_calls == plain_profile.streams["stdout"].calls == 1_000
    assert gathered.io.write_calls == profile.streams["stdout"].calls == 1


def test_two_profiles_in_one_jail_do_not_add_up(sandbox: NsjailSandbox) -> None:
    with sandbox.open_jail(JailSpec()) as jail:
        profiles = [jail.profile(Command(argv=("/bin/echo", "hello")), LIMITS)[1] for _ in range(2)]
    assert profiles[0] == profiles[1]
    assert profiles[0].streams["stdout"] == StreamUse(calls=1, bytes=6)
