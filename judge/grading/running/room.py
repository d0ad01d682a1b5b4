"""The jail of a submission's program, and opening it while the program is still being compiled.

How it works: opening a jail takes 10 ms, most of which is waiting. So a thread opens it with an empty folder in memory
at the program's place; what the compiler made is copied there when it is done. The jail is closed like any other, also
when there is no program: whoever closes it waits until it is open.
"""

from collections.abc import Iterator
from concurrent.futures import Executor, wait
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path

from judge.grading.compiling.compilation import Executable
from judge.grading.events import GradingJob
from judge.grading.languages import PROGRAM_FOLDER, language_by_id
from judge.grading.running.execution import FILES, needs_files
from sandbox.image.resident import copy_tree, resident_folder
from sandbox.types import Jail, JailSpec, Mount, Sandbox


@dataclass(frozen=True, kw_only=True, slots=True)
class Room:
    """An open jail for a program. `files`: the folder that it shows at FILES, in memory; None: no case has any."""

    jail: Jail
    files: Path | None


@contextmanager
def open_room(job: GradingJob, sandbox: Sandbox, program: Mount) -> Iterator[Room]:
    """Open a jail that shows the program, and the files that the package gives it. Raises SandboxError."""
    with ExitStack() as stack:
        mounts = [program]
        files = stack.enter_context(resident_folder("files-")) if needs_files(job.package) else None
        if files is not None:
            mounts.append(Mount(source=files, target=FILES, is_live=True))
        runtime, cores = language_by_id(job.language).runtime, job.package.limits.cores
        spec = JailSpec(mounts=tuple(mounts), image=runtime.image, runtime=runtime.host, cpu=job.cpu, cores=cores)
        yield Room(jail=stack.enter_context(sandbox.open_jail(spec)), files=files)


class EarlyRoom:
    """A jail that is opened by another thread for a program that is still to come, until `close`."""

    def __init__(self, job: GradingJob, sandbox: Sandbox, beside: Executor) -> None:
        self._opened = ExitStack()
        self._opening = beside.submit(self._open, job, sandbox)

    def _open(self, job: GradingJob, sandbox: Sandbox) -> tuple[Path, Room]:
        folder = self._opened.enter_context(resident_folder("program-"))
        program = Mount(source=folder, target=PROGRAM_FOLDER, is_live=True)
        return folder, self._opened.enter_context(open_room(job, sandbox, program))

    def with_program(self, executable: Executable) -> Room:
        """Return the jail with this program in it, as soon as it is open; call it once. Raises SandboxError."""
        folder, room = self._opening.result()
        copy_tree(executable.mount.source, folder)
        return room

    def close(self) -> None:
        """Close the jail."""
        wait([self._opening])
        self._opened.close()
