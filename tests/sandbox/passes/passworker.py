"""A worker process for the tests of rounds: runs one program over and over in a jail of its own.

Arguments: "graded" or "profile", the work root, the folder with the programs, how many runs (0: until stdin is closed),
the command. The output of each run goes to stdout, which is the lines of all runs.
"""

import os
import select
import sys
from pathlib import Path

from sandbox.jail.nsjail import NsjailSandbox
from sandbox.types import Command, Image, JailSpec, Limits, Mount
from sandbox.workdir import fresh_folder

LIMITS = Limits(cpu_time_ms=5_000, wall_time_ms=60_000)


def _is_over(done: int, wanted: int) -> bool:
    return done >= wanted if wanted else bool(select.select([0], [], [], 0)[0])


def work(kind: str, work_root: Path, programs: Path, wanted: int, argv: tuple[str, ...]) -> None:
    """Run until it is enough."""
    spec = JailSpec(mounts=(Mount(source=programs, target=str(programs)),), image=Image.TOOLS)
    with fresh_folder(work_root, "files-") as folder, NsjailSandbox(work_root).open_jail(spec) as jail:
        out, done = folder / "out", 0
        while not _is_over(done, wanted):
            command = Command(argv=argv, stdout=out)
            if kind == "profile":
                jail.profile(command, LIMITS)
            else:
                jail.run(command, LIMITS)
            os.write(1, out.read_bytes())
            out.unlink()
            done += 1


if __name__ == "__main__":
    work(sys.argv[1], Path(sys.argv[2]), Path(sys.argv[3]), int(sys.argv[4]), tuple(sys.argv[5:]))
