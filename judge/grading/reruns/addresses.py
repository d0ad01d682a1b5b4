"""Translate addresses in a compiled program to lines of the student's source with `addr2line`.

The compiler wrote the line table from a source that may try to mislead, so `addr2line` runs in a jail and its output is
untrusted. Whether the dynamic linker loads a program is read from its ELF header. Sources: addr2line(1), of the
binutils that g++ and rustc link with; elf(5).
"""

import re
import struct
from collections.abc import Iterable, Iterator
from pathlib import Path

from judge.grading.compiling.compilation import Executable
from judge.grading.languages import PROGRAM_FOLDER
from judge.grading.reruns.again import NothingToShow
from problems.translation import gettext_noop
from sandbox.errors import CommandError
from sandbox.types import MIB, Command, Image, JailSpec, Limits, Sandbox

_ADDR2LINE = "/usr/bin/addr2line"
_LIMITS = Limits(cpu_time_ms=10_000, wall_time_ms=20_000, memory_bytes=1_024 * MIB, output_bytes=16 * MIB)
_ADDRESS = re.compile(rb"0x([0-9a-f]{1,16})")
_PLACE = re.compile(rb"(.+):([0-9]{1,9})(?: \(discriminator [0-9]+\))?")
_NO_TOOL = gettext_noop("The lines cannot be named: addr2line is missing on this judge.")
_UNREADABLE = gettext_noop("The lines cannot be named: its line information cannot be read.")


class NoLines(NothingToShow):
    """The program has no line information: the message is a sentence for the student, in English until it is shown."""


def lines_of(
    addresses: Iterable[int], executable: Executable, source_name: str, sandbox: Sandbox, folder: Path
) -> dict[int, int]:
    """Return the line, from 1, of each address in the file `source_name`: for inlined calls the innermost there.

    `folder` is private to the submission. Raises NoLines, SandboxError.
    """
    stacks = line_stacks_of(addresses, executable, source_name, sandbox, folder)
    return {address: lines[0] for address, lines in stacks.items()}


def line_stacks_of(
    addresses: Iterable[int], executable: Executable, source_name: str, sandbox: Sandbox, folder: Path
) -> dict[int, tuple[int, ...]]:
    """Return for each address its line in the file, and outwards those of the calls that were inlined around it.

    Otherwise as `lines_of`.
    """
    asked, told = folder / "addresses", folder / "places"
    asked.write_text("".join(f"{address:x}\n" for address in sorted(set(addresses))))
    command = Command(argv=(_ADDR2LINE, "-a", "-i", "-e", executable.argv[0]), stdin=asked, stdout=told)
    try:
        with sandbox.open_jail(JailSpec(mounts=(executable.mount,), image=Image.TOOLS)) as jail:
            outcome = jail.run(command, _LIMITS)
    except CommandError as error:
        raise NoLines(_NO_TOOL) from error
    if outcome.exit_code != 0:
        raise NoLines(_UNREADABLE)
    path = f"{PROGRAM_FOLDER}/{source_name}".encode()
    with told.open("rb") as output:
        return lines_in(output, path)


def lines_in(output: Iterable[bytes], path: bytes) -> dict[int, tuple[int, ...]]:
    """Parse `addr2line -a -i`: return the lines in the file `path` after each address, where there are any."""
    found: dict[int, tuple[int, ...]] = {}
    for address, name, line in _places(output):
        if name == path and line:
            found[address] = (*found.get(address, ()), line)
    return found


def _places(output: Iterable[bytes]) -> Iterator[tuple[int, bytes, int]]:
    address = None
    for text in output:
        text = text.rstrip(b"\n")
        if (match := _ADDRESS.fullmatch(text)) is not None:
            address = int(match[1], 16)
        elif address is not None and (match := _PLACE.fullmatch(text)) is not None:
            yield address, match[1], int(match[2])


_MAGIC_64_LITTLE = b"\x7fELF\x02\x01"
_HEADER = struct.Struct("<16sHHIQQQIHHHHHH")
_INTERPRETER = 3  # PT_INTERP: names the dynamic linker


def is_linked_statically(path: Path) -> bool:
    """Return whether no library can be preloaded, because the file names no dynamic linker. Raises OSError."""
    with path.open("rb") as file:
        head = file.read(_HEADER.size)
        if len(head) < _HEADER.size or not head.startswith(_MAGIC_64_LITTLE):
            return True
        fields = _HEADER.unpack(head)
        offset, entry_size, entries = fields[5], fields[9], fields[10]
        file.seek(offset)
        table = file.read(entry_size * entries)
    starts = range(0, len(table) - 3, max(4, entry_size))
    return all(struct.unpack_from("<I", table, start)[0] != _INTERPRETER for start in starts)
