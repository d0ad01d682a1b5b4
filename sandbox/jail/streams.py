"""The three streams of one run: the program's stdin, stdout and stderr, and where its output ends.

Output ends in a file in memory (memfd_create(2)), which is copied to the host after the run if somebody wants it. By
default that file is the program's stdout. With a pipe or a terminal for stdout, a thread of ours reads what comes and
writes it to the file as fast as it can. The file is not on a disk, since a program could make the disk write as often
as it likes: a file system writes a truncated file back at each close (ext4: auto_da_alloc).
"""

import errno
import os
import pty
import shutil
import stat
import threading
import tty
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

from sandbox.errors import WorkdirError
from sandbox.jail.protocol import largest_file_bytes
from sandbox.patience import Patience
from sandbox.types import MIB, Command, Destination, Limits

_CHUNK_BYTES = 1 << 16
_PATIENCE_S = 5.0
_BETWEEN_LOOKS_BYTES = 256 * MIB  # what a fast core may write to a file in 50 ms
_OVER_BYTES = MIB  # of memory, over each output limit, so that a run over it is found out before its memory is full
_SPARE_BYTES = MIB  # of disk, over what a run may write
_READ = os.O_RDONLY | os.O_CLOEXEC


@dataclass(frozen=True, kw_only=True, slots=True)
class PipeEnds:
    """A program's side of a conversation: it reads `stdin` and writes `stdout`."""

    stdin: int
    stdout: int


@dataclass(frozen=True, kw_only=True, slots=True)
class Place:
    """A jail's folder, where its streams are opened. `work_roots`: the folder above it, in two separate mounts.

    Of what is opened through these, /proc/PID/fd names the way from there, and nothing of the host. The second is
    read-only: who reads a test's input leaves no time of access on it, which the next one would see. `folder` is
    absolute, without links.
    """

    folder: Path
    work_roots: tuple[int, ...] = ()

    def open(self, path: Path, flags: int, mode: int = 0o600) -> int:
        """As os.open. Raises OSError."""
        name, above = str(path), f"{self.folder.parent}/"
        if not name.startswith(above) or ".." in path.parts:  # another folder, or another name of this one
            name = f"{path.parent.resolve()}/{path.name}"
        if not self.work_roots or not name.startswith(above):
            return os.open(path, flags | os.O_CLOEXEC, mode)
        work_root = self.work_roots[flags & os.O_ACCMODE == os.O_RDONLY]
        try:
            return os.open(name[len(above) :], flags | os.O_CLOEXEC, mode, dir_fd=work_root)
        except OSError as error:
            raise OSError(error.errno, error.strerror, name) from error  # with the whole name


class Streams:
    """Descriptors of one run: `given` are the program's; `output` and `errors` are the memory that receives its output.

    What is given is opened for the program alone. Were it the same open file as ours, the kernel would take a lock for
    each write: 5 % of a small one (file_needs_f_pos_lock in fs/file.c).
    """

    def __init__(self, command: Command, place: Place, limits: Limits, ends: PipeEnds | None) -> None:
        self._files: list[int] = []
        self._kept: list[tuple[int, int]] = []  # of these, what is copied after the run, and the file it is copied to
        self._only_given: list[int] = []  # ours to close, once the program has them
        self._drain: _Drain | None = None
        try:
            _check_room(place.folder, command, limits, ends)
            self.output = self._open_kept(None if ends else command.stdout, place)
            self.errors = self._open_kept(command.stderr, place)
            stdin = ends.stdin if ends else self._give(_open_input(command.stdin, place))
            if ends:
                stdout = ends.stdout
            elif command.destination is Destination.FILE:
                stdout = self._give(_opened_again(self.output))
            else:
                reader, stdout = open_pipe() if command.destination is Destination.PIPE else _open_terminal()
                self._give(stdout)
                self._drain = _Drain(reader, self.output, limits.output_bytes + _CHUNK_BYTES)
            dropped = os.open(os.devnull, os.O_WRONLY | os.O_CLOEXEC) if command.drops_stderr else None
            self.given = (stdin, stdout, self._give(_opened_again(self.errors) if dropped is None else dropped))
        except BaseException:
            self.close()
            raise

    def give_terminal_to(self, user: int) -> None:
        """Let the program's outside user open its terminal by name. Raises WorkdirError."""
        try:
            if os.isatty(self.given[1]):
                os.fchown(self.given[1], user, user)
        except OSError as error:
            raise WorkdirError(f"cannot give the run its terminal: {error.strerror}") from error

    def hand_over(self) -> None:
        """Close our copies of the descriptors that the program has now."""
        while self._only_given:
            os.close(self._only_given.pop())

    def finish(self) -> None:
        """Copy all output to the files after the run. Raises WorkdirError when a file cannot take it."""
        if self._drain is not None:
            self._drain.finish()
        for memory, file in self._kept:
            try:
                _copy(memory, file)
                os.fchmod(file, 0o644)  # a checker's user may read it
            except OSError as error:
                raise WorkdirError(f"cannot keep the run's output: {error.strerror}") from error

    def close(self) -> None:
        """Close all descriptors."""
        self.hand_over()
        if self._drain is not None:
            self._drain.close()
        self._kept.clear()
        while self._files:
            os.close(self._files.pop())

    def _open_kept(self, target: Path | None, place: Place) -> int:
        memory = _open_memory()
        self._files.append(memory)
        if target is not None:
            self._files.append(place.open(target, os.O_WRONLY | os.O_CREAT | os.O_EXCL))
            self._kept.append((memory, self._files[-1]))
        return memory

    def _give(self, descriptor: int) -> int:
        self._only_given.append(descriptor)
        return descriptor


@contextmanager
def open_streams(command: Command, place: Place, limits: Limits, ends: PipeEnds | None = None) -> Iterator[Streams]:
    """Open the streams of a run and close them at the end. Raises WorkdirError, also on a full disk.

    With `ends`, stdin and stdout are these, which stay the caller's, and the command's own are not looked at.
    """
    try:
        streams = Streams(command, place, limits, ends)
    except (OSError, ValueError) as error:  # ValueError: of a path with a NUL byte
        raise WorkdirError(f"cannot open a stream of the run: {error}") from error
    try:
        yield streams
    finally:
        streams.close()


def memory_for_output(command: Command, limits: Limits, ends: PipeEnds | None) -> int:
    """Return the memory for a run's output: its limits and a reserve, so that excess is visible."""
    has_stdout = ends is None and command.destination is Destination.FILE
    return limits.stderr_bytes + _OVER_BYTES + (limits.output_bytes + _OVER_BYTES if has_stdout else 0)


def _check_room(folder: Path, command: Command, limits: Limits, ends: PipeEnds | None) -> None:
    """Raise WorkdirError unless the disk takes both files of a run that is stopped."""
    # the init checks every 50 ms, and a file ends at its limit
    largest = largest_file_bytes(limits)
    needed_bytes = min(largest, limits.stderr_bytes + _BETWEEN_LOOKS_BYTES) + _SPARE_BYTES
    if ends is None and command.destination is Destination.FILE:
        needed_bytes += min(largest, limits.output_bytes + _BETWEEN_LOOKS_BYTES)
    elif ends is None:
        needed_bytes += limits.output_bytes + _CHUNK_BYTES
    disk = os.statvfs(folder)
    if disk.f_bavail * disk.f_frsize < needed_bytes:
        raise WorkdirError(f"the disk of {folder.parent} is full: a run needs {needed_bytes // MIB} MiB for its output")


def _open_memory() -> int:
    memory = os.memfd_create("stream", os.MFD_CLOEXEC)
    os.fchmod(memory, 0o666)  # for programs that open /dev/stdout; nobody else can name it
    return memory


def _copy(memory: int, file: int) -> None:
    size, done = os.fstat(memory).st_size, 0
    while done < size:
        done += os.sendfile(file, memory, done, size - done)


def _opened_again(output: int) -> int:
    return os.open(f"/proc/self/fd/{output}", os.O_RDWR | os.O_CLOEXEC)  # some programs map their stdout


def _open_input(source: Path | None, place: Place) -> int:
    """Open for reading such that /proc/self/fd shows no path, which would contain the name of a hidden test.

    It is opened by a second name that is gone at once; a file that can have none in the folder is copied.
    """
    if source is None:
        return os.open(os.devnull, _READ)
    if stat.S_ISFIFO(os.stat(source).st_mode):  # noqa: PTH116 - on the way of every run
        descriptor = os.open(source, _READ | os.O_NONBLOCK)  # a folder's named pipe would block until somebody writes
        if not str(Path(f"/proc/self/fd/{descriptor}").readlink()).startswith("pipe:"):
            os.close(descriptor)
            raise WorkdirError(f"{source} cannot be a run's input: it is a named pipe, neither a file nor a device")
        os.set_blocking(descriptor, True)
        return descriptor  # an existing pipe, such as our own stdin
    name = place.folder / "stdin"
    try:
        os.link(source, name)
    except OSError:  # it lies on another disk (EXDEV), is nobody's to link (EPERM), or is not there
        return _open_copy(source)
    try:
        return place.open(name, os.O_RDONLY | os.O_NOFOLLOW)
    except OSError:  # a symbolic link: its path would be told
        return _open_copy(source)
    finally:
        name.unlink()


def _open_copy(source: Path) -> int:
    original = os.open(source, _READ)
    if not stat.S_ISREG(os.fstat(original).st_mode):
        return original  # a device or a pipe
    with open(original, "rb") as whole, open(_open_memory(), "wb") as copy:  # noqa: PTH123 - descriptors
        shutil.copyfileobj(whole, copy, MIB)
        os.fchmod(copy.fileno(), 0o444)
        copy.flush()
        return os.open(f"/proc/self/fd/{copy.fileno()}", _READ)


def open_pipe() -> tuple[int, int]:
    """Open a pipe whose ends a program can reopen by its streams' names: (read end, write end). Raises OSError."""
    reader, writer = os.pipe2(os.O_CLOEXEC)
    os.fchmod(reader, 0o666)  # both ends are one inode, which nobody else can name
    return reader, writer


def _open_terminal() -> tuple[int, int]:
    """Open a pseudo-terminal in raw mode, which changes no byte: (host end, write-only program end)."""
    ours, theirs = pty.openpty()
    try:
        tty.setraw(theirs)
        os.fchmod(theirs, 0o200)  # while it is ours: afterwards it needs CAP_FOWNER
        return ours, os.open(f"/proc/self/fd/{theirs}", os.O_WRONLY | os.O_NOCTTY | os.O_CLOEXEC)
    except OSError:
        os.close(ours)
        raise
    finally:
        os.close(theirs)


class _Drain:
    """A thread that copies output from `reader` into a file up to a cap, and discards the rest.

    It may outlive the run's streams, so both descriptors are its own.
    """

    def __init__(self, reader: int, output: int, max_bytes: int) -> None:
        """Raises OSError when no thread can be started."""
        self._reader = reader
        try:
            self._output = os.dup(output)
        except OSError:
            os.close(reader)
            raise
        self._room = max_bytes
        self._error: OSError | None = None
        self._thread = threading.Thread(target=self._copy, name="drain", daemon=True)
        try:
            self._thread.start()
        except RuntimeError as error:
            self._close_own()
            raise OSError(errno.EAGAIN, str(error)) from error

    def finish(self) -> None:
        """Copy the rest, once the run's processes are dead. Raises WorkdirError if the file did not take it all."""
        self.close()
        if self._thread.is_alive():
            raise WorkdirError("the run's output does not end")
        if self._error is not None:
            raise WorkdirError(f"cannot keep the run's output: {self._error.strerror}")

    def close(self) -> None:
        """Wait for the thread, which ends when nobody has the program's end open.

        After a failure a process of the run may live on and have it: the thread then ends with the jail.
        """
        patience = Patience(_PATIENCE_S)
        while self._thread.is_alive() and (slice_s := patience.slice()):
            self._thread.join(slice_s)

    def _copy(self) -> None:
        with suppress(OSError):  # EIO: nobody has the terminal open any more
            while chunk := os.read(self._reader, _CHUNK_BYTES):
                self._keep(chunk[: self._room])
        self._close_own()

    def _close_own(self) -> None:
        os.close(self._reader)
        os.close(self._output)

    def _keep(self, chunk: bytes) -> None:
        """Write to the file; after a failure discard, so that the program need not wait for us."""
        try:
            while chunk and self._error is None:
                written = os.write(self._output, chunk)
                self._room -= written
                chunk = chunk[written:]
        except OSError as error:
            self._error = error
