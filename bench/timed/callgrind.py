"""Count the instructions of each source line with callgrind: a measure that no sampling has a part in.

What a function without a line of the source costs is its callers': a library's, a template's that was not inlined.
Source: "Callgrind Format Specification" of the Valgrind manual.
"""

import re
import subprocess
from collections import Counter
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from pathlib import Path

from sandbox.meter.elf import ElfFile

_COST = re.compile(r"0x([0-9a-f]+) \d+ (\d+)")
_NAME = re.compile(r"(ob|fn|cob|cfn)=(.*)")
Function = tuple[str, str]  # object file and name
LinesOf = Callable[[Iterable[int]], dict[int, int]]


@dataclass(slots=True)
class _Counts:
    """What callgrind wrote: the cost of each instruction, and of each call with all that it called."""

    own: dict[Function, Counter[int]] = field(default_factory=dict)
    calls: list[tuple[Function, int, Function, int]] = field(default_factory=list)


def count_lines(program: Path, stdin: Path, folder: Path, lines_of: LinesOf) -> Counter[int]:
    """Return the instructions of each line; `lines_of` names the lines of addresses in the program's file."""
    output = folder / "callgrind.out"
    options = [
        "--dump-instr=yes",
        "--compress-strings=no",
        "--compress-pos=no",
        f"--callgrind-out-file={output}",
        str(program),
    ]
    with stdin.open("rb") as file:
        subprocess.run(
            ["valgrind", "-q", "--tool=callgrind", *options], stdin=file, stdout=subprocess.DEVNULL, check=True
        )
    counts = _read(output)
    main = min(counts.own[str(program), "main"])
    moved_by = main - (ElfFile(program).symbol("main") or main)
    own = {function: cost for function, cost in counts.own.items() if function[0] == str(program)}
    lines = lines_of({address - moved_by for cost in own.values() for address in cost})

    def line(address: int) -> int:
        return lines.get(address - moved_by, 0)

    with_lines = {function for function, cost in own.items() if any(line(address) for address in cost)}
    found: Counter[int] = Counter()
    for function in with_lines:
        for address, cost in own[function].items():
            found[line(address)] += cost
    for caller, address, callee, cost in counts.calls:
        if caller in with_lines and callee not in with_lines:
            found[line(address)] += cost
    del found[0]
    return found


def _read(path: Path) -> _Counts:
    counts = _Counts()
    names = dict.fromkeys(("ob", "fn", "cob", "cfn"), "")
    is_call = False
    for row in path.read_text().splitlines():
        if (match := _NAME.fullmatch(row)) is not None:
            names[match[1]] = match[2]
        elif row.startswith("calls="):
            is_call = True
        elif (match := _COST.fullmatch(row)) is not None:
            address, cost = int(match[1], 16), int(match[2])
            caller = (names["ob"], names["fn"])
            if is_call:
                counts.calls.append((caller, address, (names["cob"] or names["ob"], names["cfn"]), cost))
                names["cob"], is_call = "", False
            else:
                counts.own.setdefault(caller, Counter())[address] += cost
    return counts
