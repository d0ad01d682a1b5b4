"""Read what a stranger's program or its compiler made, in bounds: a module of our own runs in a jail and answers.

How it works: a reader is one fresh process in a jail of Image.READER, which has no network and shows nothing of the
host but our interpreter, addr2line, objdump and the packages that hold the reader's code, all copied into memory. It
runs as a user that exists nowhere else, behind the filter of all programs, with limits on CPU time, wall time, memory
and output. What it is given are its arguments, its standard input and mounts; what it prints is one JSON value. Any end
but a good one, and any other output, is `CannotBeRead`: the caller goes on without what would have been read. So no
file that a stranger made, whatever it holds, keeps a worker's process busy or makes it grow.
"""

import json
import logging
import os
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from sandbox.errors import SandboxError
from sandbox.image.image import PACKAGES_TARGET
from sandbox.image.runtimes import reader_interpreter
from sandbox.types import MIB, Command, Ending, Image, JailSpec, Limits, Mount, Sandbox
from sandbox.workdir import fresh_folder

LIMITS = Limits(
    cpu_time_ms=4_000,
    wall_time_ms=15_000,  # of a busy host; an idle one takes a tenth of a second
    memory_bytes=1_024 * MIB,
    output_bytes=4 * MIB,
    stderr_bytes=MIB,
    overrun_percent=0,
)
_FLAGS = ("-S", "-P", "-s", "-B")  # no site packages, no module of the working folder, no files of compiled modules
_MOST_WORDS = 400  # of its error output, for the log
_logger = logging.getLogger(__name__)


class CannotBeRead(Exception):
    """The reader did not come to a good end, which is nobody's failure: the message is for the log."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Reading:
    """One run of a reader: `python -m module arguments`, with these bytes or this file as its standard input."""

    module: str
    arguments: Sequence[str] = ()
    stdin: bytes | Path = b""
    mounts: tuple[Mount, ...] = ()
    limits: Limits = LIMITS


@dataclass(frozen=True, kw_only=True, slots=True)
class Reader:
    """Starts readers whose modules lie in these packages. `work_root`: where a reading has its files on the host."""

    sandbox: Sandbox
    work_root: Path
    packages: tuple[str, ...]
    cpu: int | None = None

    def read(self, reading: Reading) -> object:
        """Return the JSON value that the reader printed. Raises CannotBeRead."""
        with self._folder(reading) as folder:
            self._read(folder / "answer", reading, folder)
            answer = (folder / "answer").read_bytes()  # its length is bounded
        try:
            value: object = json.loads(answer)
        except (ValueError, RecursionError) as error:
            raise CannotBeRead(f"its answer is no JSON: {error}") from error
        return value

    def read_to(self, answer: Path, reading: Reading) -> None:
        """Have the reader print into this file, for another reading. Raises CannotBeRead."""
        with self._folder(reading) as folder:
            self._read(answer, reading, folder)

    @contextmanager
    def _folder(self, reading: Reading) -> Iterator[Path]:
        try:
            with fresh_folder(self.work_root, "reading-") as folder:
                yield folder
        except (SandboxError, OSError) as error:
            _logger.warning("%s could not be started: %s", reading.module, error)
            raise CannotBeRead(str(error)) from error

    def _read(self, answer: Path, reading: Reading, folder: Path) -> None:
        stdin = reading.stdin
        if isinstance(stdin, bytes):
            content, stdin = stdin, folder / "stdin"
            stdin.write_bytes(content)
        command = Command(
            argv=(str(reader_interpreter()), *_FLAGS, "-m", reading.module, *reading.arguments),
            environment={"PYTHONPATH": PACKAGES_TARGET},
            stdin=stdin,
            stdout=answer,
            stderr=folder / "errors",
        )
        spec = JailSpec(mounts=reading.mounts, image=Image.READER, packages=self.packages, cpu=self.cpu)
        with self.sandbox.open_jail(spec) as jail:
            outcome = jail.run(command, reading.limits)
        if outcome.ending is not Ending.EXITED or outcome.exit_code != 0:
            with (folder / "errors").open("rb") as errors:
                errors.seek(max(0, os.fstat(errors.fileno()).st_size - _MOST_WORDS))
                words = ascii(errors.read().decode("utf-8", "replace"))
            why = f"{reading.module}: {outcome.ending.value} {outcome.detail} {words}"
            _logger.info("not read: %s", why)
            raise CannotBeRead(why)
