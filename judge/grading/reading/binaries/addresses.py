"""Translate addresses in a compiled program to lines of the student's source with `addr2line`.

The compiler wrote the line table from a source that may try to mislead, so nothing in the tool's output is trusted: a
line counts only if the source has it, a name with a line break in it makes rows that are no places, and no address has
more inlined calls than an optimiser makes. Source: addr2line(1).
"""

import re
from collections.abc import Iterable

from judge.grading.reading.binaries.tools import ADDR2LINE, ToolFailed, rows_of

_ADDRESS = re.compile(rb"0x([0-9a-f]{1,16})")
_PLACE = re.compile(rb"(.+):([0-9]{1,9}|\?)(?: \(discriminator [0-9]+\))?")
_MOST_INLINED = 256


def lines_of(addresses: Iterable[int], program: str, source: str) -> dict[int, tuple[int, ...]]:
    """Return for each address its line in the file `source`, from 1, and outwards those of the calls that were inlined
    around it. Raises NoTool, ToolFailed.
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
            raise ToolFailed
        if match[1] == path and match[2].isdigit() and int(match[2]):
            chain.append(int(match[2]))
    return {address: tuple(chain) for address, chain in lines.items() if chain}
