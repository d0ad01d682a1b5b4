"""Run binutils, which g++ and rustc link with, on a program's file in the reader's own jail: translate addresses in it
to lines of the student's source.

The compiler wrote the line table from a source that may try to mislead, so nothing in the tool's output is trusted: a
line counts only if the source has it, a name with a line break in it makes rows that are no places, and no address has
more inlined calls than an optimiser makes. Source: addr2line(1).
"""

import re
import subprocess
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

ADDR2LINE, OBJDUMP = "/usr/bin/addr2line", "/usr/bin/objdump"
_ADDRESS = re.compile(rb"0x([0-9a-f]{1,16})")
_PLACE = re.compile(rb"(.+):([0-9]{1,9}|\?)(?: \(discriminator [0-9]+\))?")
_MOST_INLINED = 256


class ToolFailed(Exception):
    """The `problem` of an answer: this judge has "no tool", or the program's file is "unreadable"."""


def rows_of(tool: str, arguments: Sequence[str], stdin: bytes = b"") -> Iterator[bytes]:
    """Yield the tool's output row by row, without line ends. Raises ToolFailed."""
    if not Path(tool).is_file():
        raise ToolFailed("no tool")
    with subprocess.Popen(
        [tool, *arguments], stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL
    ) as process:
        output, _ = process.communicate(stdin)
    if process.returncode != 0:
        raise ToolFailed("unreadable")
    yield from output.removesuffix(b"\n").split(b"\n")


def lines_of(addresses: Iterable[int], program: str, source: str) -> dict[int, tuple[int, ...]]:
    """Return for each address its line in the file `source`, from 1, and outwards those of the calls that were inlined
    around it. Raises ToolFailed.
    """
    query = "".join(f"{address:x}\n" for address in sorted(set(addresses)))
    if not query:
        return {}
    return lines_in(rows_of(ADDR2LINE, ("-a", "-i", "-e", program), query.encode()), source.encode())


def lines_in(rows: Iterable[bytes], path: bytes) -> dict[int, tuple[int, ...]]:
    """Parse `addr2line -a -i`: return the lines in the file `path` after each address, where there are any. Raises
    ToolFailed for what it does not print.
    """
    lines: dict[int, list[int]] = {}
    chain, depth = None, 0
    for row in rows:
        if (match := _ADDRESS.fullmatch(row)) is not None:
            chain, depth = lines.setdefault(int(match[1], 16), []), 0
            continue
        match, depth = _PLACE.fullmatch(row), depth + 1
        if chain is None or match is None or depth > _MOST_INLINED:
            raise ToolFailed("unreadable")
        if match[1] == path and match[2].isdigit() and int(match[2]):
            chain.append(int(match[2]))
    return {address: tuple(chain) for address, chain in lines.items() if chain}
