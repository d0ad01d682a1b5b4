"""The programs of binutils that g++ and rustc link with, run on a program's file in the reader's own jail."""

import subprocess
from collections.abc import Iterator, Sequence
from pathlib import Path

ADDR2LINE, OBJDUMP = "/usr/bin/addr2line", "/usr/bin/objdump"


class NoTool(Exception):
    """This judge has no binutils."""


class ToolFailed(Exception):
    """The program's file cannot be read."""


def rows_of(tool: str, arguments: Sequence[str], stdin: bytes = b"") -> Iterator[bytes]:
    """Yield the tool's output row by row, without line ends. Raises NoTool, ToolFailed."""
    if not Path(tool).is_file():
        raise NoTool
    with subprocess.Popen(
        [tool, *arguments], stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL
    ) as process:
        output, _ = process.communicate(stdin)
    if process.returncode != 0:
        raise ToolFailed
    yield from output.removesuffix(b"\n").split(b"\n")
