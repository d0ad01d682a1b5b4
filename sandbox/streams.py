"""The three streams of one run: what is the program's stdin, stdout and stderr, and where its output ends.

Output ends in a file that the program cannot name: new on the host, or without a name at all when nobody wants it. By
default that file is the program's stdout. With a pipe or a terminal for stdout, a thread of ours reads what comes and
writes it to the file as fast as it can.
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
from sandbox.protocol import largest_file_bytes
from sandbox.types import MIB, Command, Destination, Limits

_CHUNK_BYTES = 1 << 16
_PATIENCE_S = 5.0
_BETWEEN_LOOKS_BYTES = 256 * MIB  # what a fast core may write to a file in 50 ms
_SPARE_BYTES = MIB  # of disk, over what a run may write; when most of it is gone, somebody else filled the disk
_READ = os.O_RDONLY | os.O_CLOEXEC


@dataclass(frozen=True, kw_only=True, slots=True)
class PipeEnds:
    """A program's side of a conversation with another program: it reads `stdin` and writes `stdout`."""

    stdin: int
    stdout: int


@dataclass(frozen=True, kw_only=True, slots=True)
class Place:
    """A jail's folder, where its streams are opened. `work_roots`: the folder above it, in two mounts of its own.

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
    """Descriptors of one run: `given` are the program's, `output` and `errors` are the files that its output ends in.

    What is given is opened for the program alone. Were it the same open file as ours, the kernel would take a lock for
    each write: 5 % of a small one (file_needs_f_pos_lock in fs/file.c).
    """

    def __init__(self, command: Command, place: Place, limits: Limits, ends: PipeEnds | None) -> None:
        self._files: list[int] = []
        self._named: list[int] = []  # of these, the files that stay
        self._only_given: list[int] = []  # ours to close, once the program has them
        self._drain: _Drain | None = None
        try:
            _check_room(place.folder, _most_written(command, limits, ends))
            self.output = self._open_kept(None if ends else command.stdout, place)
            self.errors = self._open_kept(command.stderr, place)
            stdin = ends.stdin if ends else self._give(_open_input(command.stdin, place))
            stdout = ends.stdout if ends else self._open_stdout(command.destination, limits.output_bytes)
            self.given = (stdin, stdout, self._give(_opened_again(self.errors)))
        except BaseException:
            self.close()
            raise

    def give_terminal_to(self, user: int) -> None:
        """Let the program, which is that user outside, open its terminal by name. Raises WorkdirError."""
        try:
            if os.isatty(self.given[1]):
                os.fchown(self.given[1], user, user)
        except OSError as error:
            raise WorkdirError(f"cannot give the run its terminal: {error.strerror}") from error

    def hand_over(self) -> None:
        """The program has them now: close our copies of what it was given."""
        while self._only_given:
            os.close(self._only_given.pop())

    def finish(self) -> None:
        """After the run: wait until all that it wrote lies in the files. Raises WorkdirError when it cannot."""
        if self._drain is not None:
            self._drain.finish()
        for file in self._files:
            if _free_bytes(os.fstatvfs(file)) < _SPARE_BYTES // 2:
                raise WorkdirError("the disk became full during the run, which may have felt it")

    def close(self) -> None:
        """Close them all. Nobody but us may write to a file that stays; a checker's user may read it."""
        self.hand_over()
        if self._drain is not None:
            self._drain.close()
        while self._named:
            with suppress(OSError):  # of a disk that has gone
                os.fchmod(self._named.pop(), 0o644)
        while self._files:
            os.close(self._files.pop())

    def _open_kept(self, target: Path | None, place: Place) -> int:
        descriptor = _open_output(target, place)
        self._files.append(descriptor)
        if target is not None:
            self._named.append(descriptor)
        return descriptor

    def _give(self, descriptor: int) -> int:
        self._only_given.append(descriptor)
        return descriptor

    def _open_stdout(self, destination: Destination, output_bytes: int) -> int:
        if destination is Destination.FILE:
            return self._give(_opened_again(self.output))
        reader, writer = open_pipe() if destination is Destination.PIPE else _open_terminal()
        self._give(writer)
        self._drain = _Drain(reader, self.output, output_bytes + _CHUNK_BYTES)
        return writer


@contextmanager
def open_streams(command: Command, place: Place, limits: Limits, ends: PipeEnds | None = None) -> Iterator[Streams]:
    """The streams of a run, closed at the end. Raises WorkdirError, also on a full disk.

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


def _most_written(command: Command, limits: Limits, ends: PipeEnds | None) -> int:
    """Bytes in both files when the run is stopped: the init looks every 50 ms only, and a file ends at its limit."""
    largest = largest_file_bytes(limits)
    errors = min(largest, limits.stderr_bytes + _BETWEEN_LOOKS_BYTES)
    if ends:
        return errors
    if command.destination is not Destination.FILE:
        return errors + limits.output_bytes + _CHUNK_BYTES
    return errors + min(largest, limits.output_bytes + _BETWEEN_LOOKS_BYTES)


def _check_room(folder: Path, needed_bytes: int) -> None:
    needed_bytes += _SPARE_BYTES
    if _free_bytes(os.statvfs(folder)) < needed_bytes:
        raise WorkdirError(f"the disk of {folder.parent} is full: a run needs {needed_bytes // MIB} MiB for its output")


def _free_bytes(disk: os.statvfs_result) -> int:
    return disk.f_bavail * disk.f_frsize


def _open_output(target: Path | None, place: Place) -> int:
    if target is None:
        descriptor = place.open(place.folder, os.O_RDWR | os.O_TMPFILE)
    else:
        descriptor = place.open(target, os.O_RDWR | os.O_CREAT | os.O_EXCL)
    os.fchmod(descriptor, 0o666)  # for programs that open /dev/stdout; nobody else gets to the folder
    return descriptor


def _opened_again(output: int) -> int:
    return os.open(f"/proc/self/fd/{output}", os.O_RDWR | os.O_CLOEXEC)  # some programs map their stdout


def _open_input(source: Path | None, place: Place) -> int:
    """Open for reading so that /proc/self/fd tells no path, for that holds the name of a hidden test.

    It is opened by a second name that is gone at once; a file that can have none in the folder is copied.
    """
    if source is None:
        return os.open(os.devnull, _READ)
    if stat.S_ISFIFO(os.stat(source).st_mode):  # noqa: PTH116 - on the way of every run
        return _open_given_pipe(source)
    name = place.folder / "stdin"
    try:
        os.link(source, name)
    except OSError:  # it lies on another disk (EXDEV), is nobody's to link (EPERM), or is not there
        return _open_copy(source, place)
    try:
        return place.open(name, os.O_RDONLY | os.O_NOFOLLOW)
    except OSError:  # a symbolic link: its path would be told
        return _open_copy(source, place)
    finally:
        name.unlink()


def _open_given_pipe(source: Path) -> int:
    """Our own stdin, say. To open a pipe that has a name in a folder would be to wait until somebody writes to it."""
    descriptor = os.open(source, _READ | os.O_NONBLOCK)
    if not str(Path(f"/proc/self/fd/{descriptor}").readlink()).startswith("pipe:"):
        os.close(descriptor)
        raise WorkdirError(f"{source} cannot be a run's input: it is a named pipe, neither a file nor a device")
    os.set_blocking(descriptor, True)
    return descriptor


def _open_copy(source: Path, place: Place) -> int:
    original = os.open(source, _READ)
    if not stat.S_ISREG(os.fstat(original).st_mode):
        return original  # a device or a pipe
    with open(original, "rb") as whole, open(_open_output(None, place), "wb") as copy:  # noqa: PTH123 - descriptors
        shutil.copyfileobj(whole, copy, MIB)
        os.fchmod(copy.fileno(), 0o444)
        copy.flush()
        return os.open(f"/proc/self/fd/{copy.fileno()}", _READ)


def open_pipe() -> tuple[int, int]:
    """A pipe whose ends a program can open again by the names of its streams: (read end, write end). Raises OSError."""
    reader, writer = os.pipe2(os.O_CLOEXEC)
    os.fchmod(reader, 0o666)  # both ends are one inode, which nobody else can name
    return reader, writer


def _open_terminal() -> tuple[int, int]:
    """A pseudo-terminal in raw mode, which changes no byte: (the host's end, the program's, for writing only)."""
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
    """A thread that copies what comes out of `reader` into a file, up to a cap; what is over it, it throws away.

    It may outlive the run's streams, so both descriptors are its own.
    """

    def __init__(self, reader: int, output: int, max_bytes: int) -> None:
        """Raises OSError when there can be no thread."""
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
        """Copy all that is left, once the run's processes are dead. Raises WorkdirError when the file took not all."""
        self.close()
        if self._thread.is_alive():
            raise WorkdirError("the run's output does not end")
        if self._error is not None:
            raise WorkdirError(f"cannot keep the run's output: {self._error.strerror}")

    def close(self) -> None:
        """Wait for the thread, which ends when nobody has the program's end open any more.

        After a failure a process of the run may live on and have it: the thread then ends with the jail.
        """
        self._thread.join(_PATIENCE_S)

    def _copy(self) -> None:
        while chunk := self._read():
            self._keep(chunk[: self._room])
        self._close_own()

    def _close_own(self) -> None:
        os.close(self._reader)
        os.close(self._output)

    def _keep(self, chunk: bytes) -> None:
        """Write to the file; after a failure do nothing, so that the program need not wait for us."""
        try:
            while chunk and self._error is None:
                written = os.write(self._output, chunk)
                self._room -= written
                chunk = chunk[written:]
        except OSError as error:
            self._error = error

    def _read(self) -> bytes:
        try:
            return os.read(self._reader, _CHUNK_BYTES)
        except OSError:  # EIO: nobody has the terminal open any more
            return b""
