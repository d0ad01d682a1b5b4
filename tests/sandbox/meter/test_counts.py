"""What counts where, at both levels, through the real jail; test_counts_languages.py compares with strace.

Level 1 are the kernel's own books of the graded run (`Outcome.io`), level 2 is the profile pass.
"""

from dataclasses import replace
from pathlib import Path

import pytest

from sandbox.jail.nsjail import NsjailSandbox
from sandbox.types import Command, Destination, Ending, IoProfile, Limits, Profile, StreamUse
from tests.sandbox.jailed import TOOLS
from tests.sandbox.meter.counted import LIMITS, WRITES, Runner, command_of, family
from tests.sandbox.metered import compiled

STREAMS = ("stdin", "stdout", "stderr", "files")
NONE = (0, 0)

# road: calls and bytes per stream, then (read calls, read bytes, write calls, write bytes) in the kernel's books
ROADS = {
    "families": ({"stdin": (5, 50), "stdout": (5, 50), "stderr": (3, 6)}, (5, 50, 8, 56)),
    # one call that moves bytes counts at both of its ends; the books know sendfile and copy_file_range, no splice
    "moves": ({"stdin": (1, 50), "stdout": (2, 40), "files": (11, 390)}, (2, 30, 3, 130)),
    # a socket is never one of the streams; send and receive calls are counted by name only
    "socket": ({"files": (2, 10)}, (1, 5, 1, 5)),
    # stores into mapped output are no calls
    "mapped": ({}, (0, 0, 0, 0)),
    # what fails counts; in the books only where it reached an open file
    "fails": ({"stdin": (2, 0), "stdout": (1, 0), "files": (3, 0)}, (1, 0, 2, 0)),
    # the descriptor table is shared, and now both descriptors are stderr
    "shared_table": ({"stderr": (2, 8)}, (0, 0, 2, 8)),
}


@pytest.fixture
def runner(sandbox: NsjailSandbox, folder: Path) -> Runner:
    programs, given = folder / "programs", folder / "in"
    programs.mkdir(mode=0o755)
    given.write_text("".join(f"{number}\n" for number in range(5000)))
    return Runner(sandbox, programs, given)


def in_streams(profile: Profile) -> dict[str, tuple[int, int]]:
    return {name: (use.calls, use.bytes) for name, use in profile.streams.items()}


def in_books(io: IoProfile) -> tuple[int, ...]:
    return (io.read_calls, io.read_bytes, io.write_calls, io.write_bytes)


def less(all_of_it: tuple[int, ...], start: tuple[int, ...]) -> tuple[int, ...]:
    return tuple(a - b for a, b in zip(all_of_it, start, strict=True))


def test_every_road_of_a_byte_is_counted_at_its_stream(runner: Runner) -> None:
    argv = command_of("moves.c", runner.programs)
    start, _, start_profile = runner.both([*argv, "nothing"])
    at_start = in_streams(start_profile)
    for road, (streams, books) in ROADS.items():
        graded, profiled, profile = runner.both([*argv, road])
        counted = in_streams(profile)
        assert (road, graded.ending, graded.exit_code) == (road, Ending.EXITED, 0)
        assert (road, {name: less(counted[name], at_start[name]) for name in STREAMS}) == (
            road,
            {name: streams.get(name, NONE) for name in STREAMS},
        )
        assert (road, less(in_books(graded.io), in_books(start.io))) == (road, books)
        assert graded.io == profiled.io


def test_descriptors_that_a_program_inherits_are_still_the_stream(runner: Runner) -> None:
    _, profiled, profile = runner.both([*command_of("moves.c", runner.programs), "inherits"])
    assert profile.streams["stdout"] == StreamUse(calls=5, bytes=23)
    assert (profiled.io.write_calls, profiled.io.write_bytes) == (5, 23)


def test_a_program_that_hides_its_books_is_counted_all_the_same(runner: Runner) -> None:
    script = "import ctypes, os; ctypes.CDLL(None).prctl(4, 0); [os.write(1, b'x') for _ in range(70)]"
    graded, profiled, profile = runner.both(["/usr/bin/python3", "-I", "-c", script])
    assert (graded.ending, graded.exit_code) == (Ending.EXITED, 0)
    assert graded.io.write_calls == profiled.io.write_calls == profile.streams["stdout"].calls == 70


def test_children_that_the_kernel_buries_itself_are_counted_by_the_profile_pass_alone(runner: Runner) -> None:
    argv = command_of("moves.c", runner.programs)
    start, _, _ = runner.both([*argv, "nothing"])
    graded, _, profile = runner.both([*argv, "buried"])
    assert profile.streams["stdout"] == StreamUse(calls=6, bytes=30)
    assert graded.io.write_calls - start.io.write_calls == 1
    assert graded.stdout_bytes == 30


@pytest.mark.parametrize(
    ("limits", "ending"),
    [
        (Limits(cpu_time_ms=150, wall_time_ms=5_000, overrun_percent=0), Ending.CPU_LIMIT),
        (Limits(cpu_time_ms=5_000, wall_time_ms=400), Ending.WALL_LIMIT),
        (Limits(cpu_time_ms=5_000, wall_time_ms=9_000, output_bytes=50_000), Ending.OUTPUT_LIMIT),
    ],
    ids=["cpu", "wall", "output"],
)
def test_a_run_stopped_at_a_limit_is_counted_to_its_last_write(limits: Limits, ending: Ending, runner: Runner) -> None:
    graded, profiled, profile = replace(runner, limits=limits).both([compiled("writes_forever.c", runner.programs)])
    assert graded.ending is profiled.ending is ending
    for outcome in (graded, profiled):
        assert outcome.io.write_bytes == outcome.stdout_bytes > 0
        assert outcome.io.write_calls - outcome.stdout_bytes in (0, 1)  # the one that the kill cut short
    written = profiled.stdout_bytes
    assert profile.syscalls["write"] == written
    assert profile.streams["stdout"] == StreamUse(calls=written, bytes=written)


@pytest.mark.parametrize("road", ["mixed", "redirects", "forks", "to_crash", "large"])
def test_every_byte_of_stdout_is_seen_on_its_stream(road: str, runner: Runner) -> None:
    graded, profiled, profile = runner.both([compiled("roads.c", runner.programs), road])
    assert profile.streams["stdout"].bytes == profiled.stdout_bytes == graded.stdout_bytes > 0
    assert profiled.io.write_calls == graded.io.write_calls == family(profile.syscalls, WRITES)


@pytest.mark.parametrize("destination", Destination)
def test_stdout_is_counted_whatever_it_is(destination: Destination, runner: Runner) -> None:
    argv = [compiled("roads.c", runner.programs), "unbuffered"]
    graded, profiled, profile = replace(runner, destination=destination).both(argv)
    assert graded.stdout_bytes == profiled.stdout_bytes == profile.streams["stdout"].bytes > 0
    assert graded.io.write_calls == profiled.io.write_calls == profile.streams["stdout"].calls > 1


def test_a_coalesced_run_says_the_same_in_a_handful_of_writes(runner: Runner) -> None:
    argv = [compiled("roads.c", runner.programs), "prints"]
    plain, _, plain_profile = runner.both(argv)
    expected = runner.output("graded")
    gathered, _, profile = runner.both(argv, coalesce=True)
    assert runner.output("graded") == expected
    assert plain.io.write_calls == plain_profile.streams["stdout"].calls == 1_000
    assert gathered.io.write_calls == profile.streams["stdout"].calls == 1


def test_two_profiles_in_one_jail_do_not_add_up(sandbox: NsjailSandbox) -> None:
    with sandbox.open_jail(TOOLS) as jail:
        profiles = [jail.profile(Command(argv=("/bin/echo", "hello")), LIMITS)[1] for _ in range(2)]
    assert profiles[0] == profiles[1]
    assert profiles[0].streams["stdout"] == StreamUse(calls=1, bytes=6)
