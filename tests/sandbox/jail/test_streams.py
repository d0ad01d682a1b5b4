"""The streams of a run on the host, and a program with each kind of stdout."""

import os
import threading
from pathlib import Path

import pytest

from sandbox.errors import WorkdirError
from sandbox.jail.jail import OpenJail
from sandbox.jail.streams import Place, open_streams
from sandbox.types import MIB, Command, Destination, Ending, Limits, Outcome
from tests.sandbox.aftermath import open_descriptors

PYTHON = ("/usr/bin/python3", "-I", "-c")
LIMITS = Limits(cpu_time_ms=2_000, wall_time_ms=10_000, memory_bytes=128 * MIB)
TINY = Limits(output_bytes=1, stderr_bytes=1)
CARRIED = [Destination.PIPE, Destination.TERMINAL]
NOTHING = Command(argv=("/x",))


def run(jail: OpenJail, destination: Destination, code: str, target: Path, limits: Limits = LIMITS) -> Outcome:
    return jail.run(Command(argv=(*PYTHON, code), stdout=target, destination=destination), limits)


def test_an_output_file_is_never_overwritten(tmp_path: Path) -> None:
    (tmp_path / "out").write_text("old")
    command = Command(argv=("/x",), stdout=tmp_path / "out")
    with pytest.raises(WorkdirError), open_streams(command, Place(folder=tmp_path), TINY):
        pass
    assert (tmp_path / "out").read_text() == "old"


def test_a_full_disk_is_our_error_before_the_run(tmp_path: Path) -> None:
    limits, place = Limits(stderr_bytes=1 << 60), Place(folder=tmp_path)
    with pytest.raises(WorkdirError, match="is full"), open_streams(NOTHING, place, limits):
        pass


def test_what_fails_while_the_streams_are_open_is_not_blamed_on_them(tmp_path: Path) -> None:
    with pytest.raises(ProcessLookupError), open_streams(NOTHING, Place(folder=tmp_path), TINY) as opened:
        raise ProcessLookupError
    for descriptor in (*opened.given, opened.output, opened.errors):
        with pytest.raises(OSError, match="Bad file descriptor"):
            os.fstat(descriptor)


def test_nobody_but_us_may_write_to_its_files(tmp_path: Path) -> None:
    command = Command(argv=("/x",), stdout=tmp_path / "out", stderr=tmp_path / "err")

    def modes() -> list[str]:
        return [oct((tmp_path / name).stat().st_mode & 0o7777) for name in ("out", "err")]

    with open_streams(command, Place(folder=tmp_path), TINY) as opened:
        assert modes() == ["0o600", "0o600"]
        opened.finish()
    assert modes() == ["0o644", "0o644"]


def test_while_the_run_lasts_its_output_is_on_no_disk(tmp_path: Path) -> None:
    command = Command(argv=("/x",), stdout=tmp_path / "out")
    with open_streams(command, Place(folder=tmp_path), TINY) as opened:
        os.write(opened.given[1], b"words\n")
        assert (tmp_path / "out").stat().st_size == 0
        opened.finish()
    assert (tmp_path / "out").read_bytes() == b"words\n"


def test_what_one_program_wrote_the_next_one_can_open_by_the_name_of_its_stdin(
    tools_jail: OpenJail, folder: Path
) -> None:
    assert run(tools_jail, Destination.FILE, "print('words')", folder / "out").exit_code == 0
    assert oct((folder / "out").stat().st_mode & 0o7777) == "0o644"
    reads = Command(argv=("/bin/cat", "/dev/stdin"), stdin=folder / "out", stdout=folder / "read")
    assert tools_jail.run(reads, LIMITS).exit_code == 0
    assert (folder / "read").read_text() == "words\n"


def name_and_bytes_of_stdin(folder: Path, source: Path) -> tuple[str, bytes]:
    with open_streams(Command(argv=("/x",), stdin=source), Place(folder=folder), TINY) as opened:
        name = str(Path(f"/proc/self/fd/{opened.given[0]}").readlink())
        with pytest.raises(OSError, match="Bad file descriptor"):
            os.write(opened.given[0], b"x")
        return name, os.read(opened.given[0], 100)


def test_the_name_of_the_input_is_told_nowhere_though_nothing_is_copied(tmp_path: Path) -> None:
    (tmp_path / "03-tricky.in").write_text("5")
    assert name_and_bytes_of_stdin(tmp_path, tmp_path / "03-tricky.in") == (f"{tmp_path}/stdin (deleted)", b"5")
    assert [path.name for path in tmp_path.iterdir()] == ["03-tricky.in"]


@pytest.mark.parametrize("where", ["on another disk", "behind a link"])
def test_an_input_that_can_have_no_second_name_is_copied(where: str, folder: Path, tmp_path: Path) -> None:
    source = Path(f"/dev/shm/03-tricky-{os.getpid()}.in") if where == "on another disk" else tmp_path / "03-tricky.in"
    source.write_bytes(b"5" * 100)
    (tmp_path / "link").symlink_to(source)
    try:
        name, content = name_and_bytes_of_stdin(folder, source if where == "on another disk" else tmp_path / "link")
    finally:
        source.unlink()
    assert "tricky" not in name
    assert content == b"5" * 100
    assert not list(folder.iterdir())


def test_an_input_that_is_not_there_is_our_error(tmp_path: Path) -> None:
    with pytest.raises(WorkdirError, match="No such file"):
        name_and_bytes_of_stdin(tmp_path, tmp_path / "missing")


@pytest.mark.parametrize("name", ["pipe", "link"])
def test_a_named_pipe_is_refused_as_input_and_not_waited_for(name: str, tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    (tmp_path / "link").symlink_to("pipe")
    words, before = [], open_descriptors()

    def open_it() -> None:
        with pytest.raises(WorkdirError) as caught:
            name_and_bytes_of_stdin(tmp_path, tmp_path / name)
        words.append(str(caught.value))

    thread = threading.Thread(target=open_it, daemon=True)  # it would wait for ever
    thread.start()
    thread.join(20)
    assert words == [f"{tmp_path / name} cannot be a run's input: it is a named pipe, neither a file nor a device"]
    assert open_descriptors() == before


def test_a_pipe_that_was_given_to_us_can_be_the_input(jail: OpenJail, folder: Path) -> None:
    reader, writer = os.pipe()
    code = "import os, sys; print(sys.stdin.read(), os.get_blocking(0))"
    command = Command(argv=(*PYTHON, code), stdin=Path(f"/dev/fd/{reader}"), stdout=folder / "out")

    def write_late() -> None:
        os.write(writer, b"late words")
        os.close(writer)

    later = threading.Timer(0.1, write_late)
    later.start()
    try:
        assert jail.run(command, LIMITS).exit_code == 0
    finally:
        later.join()
        os.close(reader)
    assert (folder / "out").read_text() == "late words True\n"


def test_output_that_does_not_end_goes_into_no_file_opened_later(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("sandbox.jail.streams._PATIENCE_S", 0.1)
    command = Command(argv=("/x",), destination=Destination.PIPE)
    with open_streams(command, Place(folder=tmp_path), LIMITS) as opened:
        program = os.dup(opened.given[1])
        number = opened.output
        opened.hand_over()
        with pytest.raises(WorkdirError, match="does not end"):
            opened.finish()
    later = [os.open(tmp_path / f"later-{count}", os.O_RDWR | os.O_CREAT) for count in range(9)]
    assert number in later
    os.write(program, b"late words")
    os.close(program)
    for thread in threading.enumerate():
        if thread.name == "drain":
            thread.join(10)
    assert [os.fstat(descriptor).st_size for descriptor in later] == [0] * 9
    for descriptor in later:
        os.close(descriptor)


def test_a_host_that_has_no_thread_left_says_so_and_keeps_nothing_open(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(thread: threading.Thread) -> None:
        raise RuntimeError("can't start new thread")

    monkeypatch.setattr(threading.Thread, "start", refuse)
    before = open_descriptors()
    command = Command(argv=("/x",), destination=Destination.TERMINAL)
    with (
        pytest.raises(WorkdirError, match="can't start new thread"),
        open_streams(command, Place(folder=tmp_path), TINY),
    ):
        pass
    assert open_descriptors() == before


@pytest.mark.parametrize("destination", Destination)
def test_the_same_bytes_end_in_the_file_whatever_stdout_is(
    destination: Destination, jail: OpenJail, folder: Path
) -> None:
    code = "import os; os.write(1, bytes(range(256)) * 1000); os.write(1, b'end\\n')"
    assert run(jail, destination, code, folder / "first").exit_code == 0  # the jail opens the next run's groups with it
    before = len(open_descriptors())
    outcome = run(jail, destination, code, folder / "out")
    assert (folder / "out").read_bytes() == bytes(range(256)) * 1000 + b"end\n"
    assert (outcome.ending, outcome.exit_code, outcome.stdout_bytes) == (Ending.EXITED, 0, 256_004)
    assert outcome.io.write_bytes == 256_004
    assert len(open_descriptors()) == before
    assert not [thread for thread in threading.enumerate() if thread.name == "drain"]


def test_a_runtime_buffers_by_what_stdout_is(jail: OpenJail, folder: Path) -> None:
    calls = {}
    for destination in Destination:
        code = "for i in range(100): print(i)"
        calls[destination] = run(jail, destination, code, folder / destination.value).io.write_calls
    assert calls == {Destination.FILE: 1, Destination.PIPE: 1, Destination.TERMINAL: 100}


@pytest.mark.parametrize("destination", CARRIED)
def test_output_over_its_limit_is_stopped_and_not_kept(destination: Destination, jail: OpenJail, folder: Path) -> None:
    limits = Limits(cpu_time_ms=5_000, wall_time_ms=20_000, output_bytes=MIB)
    outcome = run(jail, destination, "while True: print('x' * 1000)", folder / "out", limits)
    assert outcome.ending is Ending.OUTPUT_LIMIT
    assert MIB < outcome.stdout_bytes < 2 * MIB


@pytest.mark.parametrize("destination", CARRIED)
def test_stdout_can_be_opened_again_by_its_name(destination: Destination, jail: OpenJail, folder: Path) -> None:
    assert run(jail, destination, "open('/dev/stdout', 'w').write('again')", folder / "out").exit_code == 0
    assert (folder / "out").read_text() == "again"


def test_a_terminal_gives_nothing_to_read_and_is_nobodys(jail: OpenJail, folder: Path) -> None:
    code = """if True:
    import fcntl, os, termios
    def refused(what):
        try: return what() is None
        except OSError: return True
    print(os.isatty(1), refused(lambda: os.read(1, 1)), refused(lambda: os.open('/dev/stdout', os.O_RDWR)),
          refused(lambda: fcntl.ioctl(1, termios.TIOCSCTTY, 0)), refused(lambda: fcntl.ioctl(1, termios.TIOCSTI, b'x')),
          refused(lambda: os.open('/dev/tty', os.O_RDWR)))"""
    run(jail, Destination.TERMINAL, code, folder / "out")
    assert (folder / "out").read_text().split() == ["True"] * 6


@pytest.mark.parametrize("destination", CARRIED)
def test_a_child_that_is_left_behind_does_not_hold_the_output(
    destination: Destination, jail: OpenJail, folder: Path
) -> None:
    code = "import os, time\nprint('parent', flush=True)\nif os.fork() == 0: time.sleep(60)"
    outcome = run(jail, destination, code, folder / "out")
    assert (outcome.ending, (folder / "out").read_text()) == (Ending.EXITED, "parent\n")


@pytest.mark.parametrize("destination", CARRIED)
def test_a_closed_stdout_ends_the_run_as_ever(destination: Destination, jail: OpenJail, folder: Path) -> None:
    assert run(jail, destination, "import os; os.close(1)", folder / "out").ending is Ending.EXITED


@pytest.mark.parametrize("destination", CARRIED)
def test_the_meter_counts_what_goes_to_a_pipe_or_a_terminal(
    destination: Destination, jail: OpenJail, folder: Path
) -> None:
    command = Command(argv=(*PYTHON, "for i in range(50): print(i, flush=True)"), destination=destination)
    outcome, profile = jail.profile(command, LIMITS)
    assert profile.streams["stdout"].calls == outcome.io.write_calls == 50
    assert profile.streams["stdout"].bytes == outcome.stdout_bytes == 140
