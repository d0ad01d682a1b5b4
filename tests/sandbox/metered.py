"""Run small programs in a PID namespace of their own under the meter, and the same ones under strace."""

import functools
import os
import signal
import subprocess
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from sandbox.meter.meter import Meter, Reading
from sandbox.types import Profile
from tests.waiting import wait_for

PROGRAMS = Path(__file__).parent / "programs"
SLOWNESS = int(os.environ.get("TALLY_TEST_SLOWNESS", "1"))  # of this machine; in emulated ones programs need more time
PATIENCE_S = 30
# Taking turns in the Python interpreter: as many as it happens to take. Asking for the time is a call on some machines.
LOCK_CALLS = {"futex", "clock_gettime"}
GCC = ("gcc", "-O1", "-w", "-pthread")
# The shell is pid 1, as our init is in the jail: it waits until the meter is attached, then starts the program.
START = ("sh", "-c", 'read _ <"$0"; "$@"; exit $?')
# How often an allocator calls munmap depends on where its memory happens to lie.
SAME_ADDRESSES = ("setarch", "--addr-no-randomize")
# Nobody ignores a signal in a jail either; whoever runs the tests in the background of a script ignores two.
ALL_SIGNALS = ("env", "--default-signal")
# Leaves the program the same environment.
SAME_START = (*SAME_ADDRESSES, *ALL_SIGNALS, "sh", "-c", '"$@"; exit $?', "sh", "strace")


@dataclass(frozen=True)
class Streams:
    """Host paths of the three streams; stdout and stderr may be the same."""

    stdin: Path
    stdout: Path
    stderr: Path

    @contextmanager
    def opened(self) -> Iterator[tuple[int, int, int]]:
        """Their descriptors."""
        flags = os.O_RDWR | os.O_CREAT | os.O_TRUNC
        stdin, stdout = os.open(self.stdin, os.O_RDONLY), os.open(self.stdout, flags)
        stderr = stdout if self.stderr == self.stdout else os.open(self.stderr, flags)
        try:
            yield stdin, stdout, stderr
        finally:
            for descriptor in {stdin, stdout, stderr}:
                os.close(descriptor)


def compiled(source: str, folder: Path) -> str:
    """Path of the program built from tests/sandbox/programs/`source`."""
    target = folder / source.replace(".", "-")
    compilers = {".c": GCC, ".cpp": ("g++", *GCC[1:]), ".rs": ("rustc", "--edition=2021", "-O", "-Adeprecated")}
    subprocess.run([*compilers[Path(source).suffix], "-o", target, PROGRAMS / source], check=True)
    return str(target)


def metered(
    argv: list[str],
    streams: Streams,
    *,
    environment: Mapping[str, str] | None = None,
    meanwhile: Callable[[int], None] = lambda pid: None,
) -> Profile:
    """Profile of one run; `meanwhile` gets the host pid of the program's parent while it runs."""
    folder = streams.stdout.parent
    fifo = folder / "start"
    fifo.unlink(missing_ok=True)
    os.mkfifo(fifo)
    command = [*SAME_ADDRESSES, *ALL_SIGNALS, "unshare", "--pid", "--fork", "--kill-child", *START, str(fifo), *argv]
    with streams.opened() as (stdin, stdout, stderr):
        process = subprocess.Popen(command, cwd=folder, env=environment, stdin=stdin, stdout=stdout, stderr=stderr)
        try:
            with _namespace_below(process) as namespace, counting(namespace) as reading:
                shell = _child_of(process.pid)
                fifo.write_text("go\n")
                meanwhile(shell)
                process.wait(PATIENCE_S)
                return reading.profile()
        finally:
            process.kill()
            process.wait(PATIENCE_S)


@contextmanager
def counting(namespace: int) -> Iterator[Reading]:
    """The counts of what is started in a PID namespace."""
    with _meter().attached():
        reading = _meter().reading(namespace)
        try:
            yield reading
        finally:
            reading.close()


@functools.cache
def _meter() -> Meter:
    return Meter.load()


def straced(
    argv: list[str], streams: Streams, environment: Mapping[str, str] | None = None, start: tuple[str, ...] = SAME_START
) -> dict[str, int]:
    """System calls by name as `strace -f -c` counts them; `start` ends with what starts strace, and its options."""
    table = streams.stdout.parent / "strace.txt"
    command = [*start, "-f", "-c", "-U", "name,calls", "-o", str(table), *argv]
    with streams.opened() as (stdin, stdout, stderr):
        process = subprocess.Popen(
            command, cwd=table.parent, env=environment, stdin=stdin, stdout=stdout, stderr=stderr
        )
        process.wait(PATIENCE_S)
    rows = (line.split() for line in table.read_text().splitlines())
    counts = {row[0]: int(row[1]) for row in rows if len(row) == 2 and row[1].isdigit()}
    del counts["total"]
    return counts


def kill_children_of(parent: int) -> None:
    """SIGKILL to the children of one process of ours."""
    children = Path(f"/proc/{parent}/task/{parent}/children").read_text().split()
    for child in children:
        os.kill(int(child), signal.SIGKILL)


@contextmanager
def _namespace_below(process: "subprocess.Popen[bytes]") -> Iterator[int]:
    """Kept until the end of the `with`: a number that is free is soon another jail's, whose calls would be counted."""
    link, ours = Path(f"/proc/{process.pid}/ns/pid_for_children"), Path("/proc/self/ns/pid").stat().st_ino

    def is_made() -> bool:
        try:
            return link.stat().st_ino != ours
        except OSError:  # made, but still without its pid 1
            return False

    wait_for(is_made, "unshare makes a PID namespace", PATIENCE_S, look_every_s=0.001)
    kept = os.open(link, os.O_RDONLY)
    try:
        yield os.fstat(kept).st_ino
    finally:
        os.close(kept)


def _child_of(parent: int) -> int:
    return int(Path(f"/proc/{parent}/task/{parent}/children").read_text().split()[0])
