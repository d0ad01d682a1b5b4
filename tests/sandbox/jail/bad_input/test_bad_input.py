"""Limits and commands that make no sense: each its own sentence, nothing left, and the next run works."""

import struct
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from sandbox.errors import CommandError, LimitsError, WorkdirError
from sandbox.jail.jail import OpenJail
from sandbox.jail.nsjail import NsjailSandbox
from sandbox.types import MIB, Collect, Command, Ending, JailSpec, Limits, Mount
from tests.sandbox.aftermath import nothing_left
from tests.sandbox.conftest import WORK_ROOT
from tests.sandbox.jail.ranges import RANGES

LIMITS = Limits(cpu_time_ms=2_000, wall_time_ms=5_000, memory_bytes=128 * MIB)
TRUE = Command(argv=("/bin/true",))


def assert_works(jail: OpenJail) -> None:
    outcome = jail.run(TRUE, LIMITS)
    assert (outcome.ending, outcome.exit_code) == (Ending.EXITED, 0)


def test_every_limit_has_its_range() -> None:
    assert set(RANGES) == set(Limits.__slots__)


@pytest.mark.parametrize("name", RANGES)
def test_a_limit_outside_its_range_or_not_a_whole_number_is_refused_by_name(jail: OpenJail, name: str) -> None:
    least, most = RANGES[name]
    for value in (least - 1, -(1 << 70), most + 1, 1 << 64, 10**5_000, 1.5, float("nan"), True, None, "9"):
        with nothing_left(WORK_ROOT), pytest.raises(LimitsError) as caught:
            jail.run(TRUE, Limits(**{name: value}))  # type: ignore[arg-type]
        assert str(caught.value) == f"{name} must be a whole number between {least} and {most}"
    assert_works(jail)


@pytest.mark.parametrize("name", sorted({*RANGES} - {"output_bytes", "stderr_bytes"}))
def test_the_largest_limits_are_those_of_a_run_that_works(jail: OpenJail, name: str) -> None:
    outcome = jail.run(TRUE, Limits(**{name: RANGES[name][1]}))
    assert (outcome.ending, outcome.exit_code) == (Ending.EXITED, 0)


@pytest.mark.parametrize("name", ["output_bytes", "stderr_bytes"])
def test_more_output_than_the_disk_has_room_for_is_said_before_the_run(jail: OpenJail, name: str) -> None:
    with nothing_left(WORK_ROOT), pytest.raises(WorkdirError, match=rf"^the disk of {WORK_ROOT} is full: a run needs "):
        jail.run(TRUE, Limits(**{name: 1 << 40}))
    assert_works(jail)


@pytest.mark.parametrize(
    ("name", "ending"),
    [
        ("memory_bytes", {Ending.MEMORY_LIMIT}),
        ("output_bytes", {Ending.OUTPUT_LIMIT}),
        ("stderr_bytes", {Ending.OUTPUT_LIMIT}),
        ("cpu_time_ms", {Ending.CPU_LIMIT, Ending.EXITED}),  # a fast machine is done by then
        ("wall_time_ms", {Ending.WALL_LIMIT, Ending.EXITED}),
        ("processes", {Ending.EXITED}),
        ("open_files", {Ending.EXITED}),  # the dynamic linker complains
        ("stack_bytes", {Ending.EXITED}),  # 0: as much as memory
        ("scratch_bytes", {Ending.EXITED}),
        ("scratch_inodes", {Ending.EXITED}),
        ("file_bytes", {Ending.EXITED}),
        ("overrun_percent", {Ending.EXITED}),
    ],
)
def test_the_smallest_limits_end_the_run_and_are_not_our_failure(
    tools_jail: OpenJail, name: str, ending: set[Ending]
) -> None:
    limits = Limits(**{"cpu_time_ms": 2_000, "wall_time_ms": 5_000, name: RANGES[name][0]})
    with nothing_left(WORK_ROOT):
        outcome = tools_jail.run(Command(argv=("/bin/sh", "-c", "echo hello; echo hello >&2; exit 3")), limits)
    assert outcome.ending in ending
    assert_works(tools_jail)


# --- commands


def _elf_of_another_machine(path: Path) -> None:
    header = bytearray(Path("/bin/true").read_bytes())
    struct.pack_into("<H", header, 18, 0xF7 if sys.byteorder == "little" else 3)  # e_machine: BPF
    path.write_bytes(header)


_MISSING = "No such file or directory (it, or the interpreter that it names)"
_FORMAT = (
    "Exec format error (a script needs a first line with #!, an executable must be for this machine's architecture)"
)
_DENIED = "Permission denied"
_PROGRAMS: dict[str, tuple[Callable[[Path], object], str]] = {
    "missing": (lambda path: None, _MISSING),
    "not executable": (lambda path: path.write_bytes(Path("/bin/true").read_bytes()), _DENIED),
    "folder": (lambda path: path.mkdir(), _DENIED),
    "script without its interpreter": (lambda path: path.write_text("#!/nowhere/sh\n"), _MISSING),
    "script whose interpreter is a folder": (lambda path: path.write_text("#!/usr\n"), _DENIED),
    "text": (lambda path: path.write_text("exit 0\n"), _FORMAT),
    "empty": (lambda path: path.touch(), _FORMAT),
    "elf of another machine": (_elf_of_another_machine, _FORMAT),
    "elf cut short": (lambda path: path.write_bytes(Path("/bin/true").read_bytes()[:64]), _FORMAT),
    "dangling link": (lambda path: path.symlink_to("nowhere"), _MISSING),
    "link to itself": (lambda path: path.symlink_to(path.name), "Too many levels of symbolic links"),
    "line\nbreak": (lambda path: None, _MISSING),
    "\udcff\udcfe": (lambda path: None, _MISSING),
}


@pytest.mark.parametrize("name", _PROGRAMS)
def test_a_command_that_cannot_be_started_says_why_and_the_next_one_runs(
    sandbox: NsjailSandbox, folder: Path, name: str
) -> None:
    make, why = _PROGRAMS[name]
    make(folder / name)
    if name not in ("not executable", "folder") and (folder / name).is_file():
        (folder / name).chmod(0o755)
    program = f"/program/{name}"
    shown = program if program.isprintable() else ascii(program)
    with sandbox.open_jail(JailSpec(mounts=(Mount(source=folder, target="/program"),))) as jail:
        for _ in range(2):
            with nothing_left(WORK_ROOT), pytest.raises(CommandError) as caught:
                jail.run(Command(argv=(program,)), LIMITS)
            assert str(caught.value) == f"{shown} cannot be started: {why}"
        assert_works(jail)


def test_a_program_with_too_long_a_name_says_so(jail: OpenJail) -> None:
    with nothing_left(WORK_ROOT), pytest.raises(CommandError, match=r"n cannot be started: File name too long$"):
        jail.run(Command(argv=("/" + "n" * 300,)), LIMITS)
    assert_works(jail)


def test_arguments_too_long_for_the_stack_say_so(jail: OpenJail) -> None:
    command = Command(argv=("/bin/true", "x" * 120_000))
    with (
        nothing_left(WORK_ROOT),
        pytest.raises(CommandError, match=r"^/bin/true cannot be started: Argument list too long$"),
    ):
        jail.run(command, Limits(stack_bytes=64 * 1024))
    assert_works(jail)


@pytest.mark.parametrize(
    ("command", "why"),
    [
        (Command(argv=()), "a command needs 1 argument at least, 4,000 strings and 16 collected files at most"),
        (Command(argv=("/bin/true", "a\0b")), "an argument, variable or name must not hold a NUL byte"),
        (Command(argv=TRUE.argv, environment={"A": "\0"}), "an argument, variable or name must not hold a NUL byte"),
        (Command(argv=("/bin/true", "\ud800")), "an argument, variable or name is not text that has bytes"),
        (Command(argv=("/bin/true", "x" * 140_000)), "the command's strings are 140"),
        (Command(argv=TRUE.argv * 5_000), "a command needs 1 argument at least, 4,000 strings"),
        *(
            (Command(argv=TRUE.argv, directories=(name,)), "a folder to make must have a name that leads down")
            for name in ("", "/x", "../x", "x/../../y")
        ),
        (
            Command(argv=TRUE.argv, collect=(Collect(name="x", target=Path("/x"), max_bytes=1),) * 17),
            "a command needs 1 argument at least, 4,000 strings and 16 collected files at most",
        ),
    ],
)
def test_a_command_that_makes_no_sense_is_refused(jail: OpenJail, command: Command, why: str) -> None:
    with nothing_left(WORK_ROOT), pytest.raises(LimitsError) as caught:
        jail.run(command, LIMITS)
    assert str(caught.value).startswith(why)
    assert_works(jail)


@pytest.mark.parametrize(
    ("names", "why"),
    [
        (("a/b",), "must be named once, and after the one that it lies in"),
        (("a/b", "a"), "must be named once, and after the one that it lies in"),
        (("a", "b", "a"), "must be named once, and after the one that it lies in"),
        (("a", "./a"), "must have a name that leads down from the scratch folder"),
        (("a", "a/"), "must be named once, and after the one that it lies in"),
        (("x" * 256,), "has too long a name"),
        (("\N{EURO SIGN}" * 86,), "has too long a name"),
        (("a", f"a{'/' * 4_096}b"), "has too long a name"),
    ],
)
def test_folders_that_cannot_be_made_for_the_program_are_refused(
    jail: OpenJail, names: tuple[str, ...], why: str
) -> None:
    with nothing_left(WORK_ROOT), pytest.raises(LimitsError) as caught:
        jail.run(Command(argv=TRUE.argv, directories=names), LIMITS)
    assert str(caught.value) == f"a folder to make {why}"
    assert_works(jail)


def test_folders_are_made_in_the_order_in_which_they_are_named(tools_jail: OpenJail) -> None:
    names = ("a", "a/b", "a//c/", "x" * 255, "\udcff", "a/b/a")
    command = Command(
        argv=("/usr/bin/test", "-d", "a/c", "-a", "-d", "a/b/a", "-a", "-d", "x" * 255), directories=names
    )
    assert tools_jail.run(command, LIMITS).exit_code == 0


@pytest.mark.parametrize("name", ["", ".", "/etc/hostname", "../../etc/hostname", "x" * 300, "\udcff", "a//b"])
def test_a_file_to_collect_by_an_odd_name_is_just_not_there(jail: OpenJail, folder: Path, name: str) -> None:
    wanted = Collect(name=name, target=folder / "collected", max_bytes=100)
    assert jail.run(Command(argv=TRUE.argv, collect=(wanted,)), LIMITS).collected == ()
    assert not wanted.target.exists()


# --- streams


def test_streams_that_cannot_be_opened_are_named(jail: OpenJail, folder: Path) -> None:
    (folder / "old").write_text("old")
    (folder / "closed").mkdir()
    cases = (
        (Command(argv=TRUE.argv, stdin=folder / "missing"), f"[Errno 2] No such file or directory: '{folder}/missing'"),
        (Command(argv=TRUE.argv, stdout=folder / "old"), f"[Errno 17] File exists: '{folder}/old'"),
        (Command(argv=TRUE.argv, stderr=folder / "old"), f"[Errno 17] File exists: '{folder}/old'"),
        (Command(argv=TRUE.argv, stdout=folder / "no/out"), f"[Errno 2] No such file or directory: '{folder}/no/out'"),
        (Command(argv=TRUE.argv, stdout=folder / "closed"), f"[Errno 17] File exists: '{folder}/closed'"),
    )
    for command, why in cases:
        with nothing_left(WORK_ROOT), pytest.raises(WorkdirError) as caught:
            jail.run(command, LIMITS)
        assert str(caught.value) == f"cannot open a stream of the run: {why}"
    assert (folder / "old").read_text() == "old"
    assert_works(jail)


def test_a_folder_as_input_is_the_programs_own_error_to_handle(tools_jail: OpenJail, folder: Path) -> None:
    outcome = tools_jail.run(Command(argv=("/bin/cat",), stdin=folder, stderr=folder / "err"), LIMITS)
    assert (outcome.exit_code, (folder / "err").read_text()) == (1, "/bin/cat: -: Is a directory\n")


def test_a_collected_file_is_never_written_over_another(tools_jail: OpenJail, folder: Path) -> None:
    (folder / "old").write_text("old")
    wanted = Collect(name="made", target=folder / "old", max_bytes=100)
    with nothing_left(WORK_ROOT), pytest.raises(WorkdirError, match=r"^cannot write old: File exists$"):
        tools_jail.run(Command(argv=("/bin/sh", "-c", "echo new > made"), collect=(wanted,)), LIMITS)
    assert (folder / "old").read_text() == "old"
    assert_works(tools_jail)
