"""A worker's wall clock, off by a chosen amount: preloads `clock.c`. The database's clock is right."""

import os
import struct
import subprocess
from pathlib import Path

_SOURCE = Path(__file__).with_suffix(".c")


class Clock:
    """A clock whose offset is in a file of `folder`."""

    def __init__(self, folder: Path) -> None:
        self._library, self._offset = folder / "clock.so", folder / "clock"
        build = ["cc", "-shared", "-fPIC", "-O2", "-Wall", "-Werror", "-o", str(self._library), str(_SOURCE)]
        subprocess.run(build, check=True)
        self.set(0)

    def set(self, offset_s: int) -> None:
        """Step to so many seconds from the right time. Written in place: whoever runs sees it at once."""
        descriptor = os.open(self._offset, os.O_RDWR | os.O_CREAT, 0o644)
        os.pwrite(descriptor, struct.pack("l", offset_s), 0)
        os.close(descriptor)

    def environment(self) -> dict[str, str]:
        """For a process that goes by this clock, and all that it starts."""
        return {"LD_PRELOAD": str(self._library), "TALLY_TEST_CLOCK": str(self._offset)}
