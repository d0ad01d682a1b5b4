"""Count what each source line executes with callgrind: a measure that no sampling has a part in.

Two counts: the instructions, and KCachegrind's estimate of cycles, by which each instruction takes one, each branch
that callgrind's simulated predictor misses ten, each miss of its first cache ten and of its last one a hundred more.
What a function without a line of the source costs is its callers': a library's, a template's that was not inlined.

The C library is kept from filling and copying memory with one repeated instruction (`rep stosb`): callgrind counts that
once per byte, while a processor does some 32 bytes in a cycle.

Sources: "Callgrind Format Specification" of the Valgrind manual; GNU C Library manual, "Hardware Capability Tunables".
"""

import os
import re
import subprocess
from collections import Counter
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from pathlib import Path

from sandbox.unwinding.elf import ElfFile

_COST = re.compile(r"0x([0-9a-f]+) \d+ ([\d ]+)")
_NAME = re.compile(r"(ob|fn|cob|cfn)=(.*)")
_CYCLES = {"Ir": 1, "Bcm": 10, "Bim": 10, "I1mr": 10, "D1mr": 10, "D1mw": 10, "ILmr": 100, "DLmr": 100, "DLmw": 100}
_NEVER = 1 << 40  # bytes
_NO_REPEATED = ":".join(f"glibc.cpu.x86_rep_{each}_threshold={_NEVER}" for each in ("stosb", "movsb"))
Function = tuple[str, str]  # object file and name
LinesOf = Callable[[Iterable[int]], dict[int, int]]


@dataclass(frozen=True, slots=True)
class LineCounts:
    """By line: the instructions, and the estimate of cycles."""

    instructions: Counter[int]
    cycles: Counter[int]


@dataclass(slots=True)
class _Counts:
    """What callgrind wrote: the cost of each instruction, and of each call with all that it called."""

    own: dict[Function, Counter[int]] = field(default_factory=dict)
    calls: list[tuple[Function, int, Function, int]] = field(default_factory=list)


def count_lines(program: Path, stdin: Path, folder: Path, lines_of: LinesOf) -> LineCounts:
    """Return the counts of each line; `lines_of` names the lines of addresses in the program's file."""
    output = folder / "callgrind.out"
    options = [
        "--dump-instr=yes",
        "--cache-sim=yes",
        "--branch-sim=yes",
        "--compress-strings=no",
        "--compress-pos=no",
        f"--callgrind-out-file={output}",
        str(program),
    ]
    with stdin.open("rb") as file:
        subprocess.run(
            ["valgrind", "-q", "--tool=callgrind", *options],
            stdin=file,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,  # each processor's caches are a warning
            env={**os.environ, "GLIBC_TUNABLES": _NO_REPEATED},
            check=True,
        )
    by_instructions, by_cycles = (_read(output, weights) for weights in ({"Ir": 1}, _CYCLES))
    main = min(by_instructions.own[str(program), "main"])
    moved_by = main - (ElfFile(program).symbol("main") or main)
    own = [cost for function, cost in by_instructions.own.items() if function[0] == str(program)]
    lines = lines_of({address - moved_by for cost in own for address in cost})
    lines_here = {address + moved_by: line for address, line in lines.items()}
    return LineCounts(*(_told(counts, str(program), lines_here) for counts in (by_instructions, by_cycles)))


def _told(counts: _Counts, program: str, lines: dict[int, int]) -> Counter[int]:
    own = {function: cost for function, cost in counts.own.items() if function[0] == program}
    with_lines = {function for function, cost in own.items() if any(lines.get(address, 0) for address in cost)}
    found: Counter[int] = Counter()
    for function in with_lines:
        for address, cost in own[function].items():
            found[lines.get(address, 0)] += cost
    for caller, address, callee, cost in counts.calls:
        if caller in with_lines and callee not in with_lines:
            found[lines.get(address, 0)] += cost
    del found[0]
    return found


def _read(path: Path, weights: dict[str, int]) -> _Counts:
    """Read the file; a cost is the sum of its events with their weights, those that are left out being 0."""
    counts = _Counts()
    names = dict.fromkeys(("ob", "fn", "cob", "cfn"), "")
    events: list[int] = []
    is_call = False
    for row in path.read_text().splitlines():
        if (match := _NAME.fullmatch(row)) is not None:
            names[match[1]] = match[2]
        elif row.startswith("events: "):
            events = [weights.get(name, 0) for name in row.split()[1:]]
        elif row.startswith("calls="):
            is_call = True
        elif (match := _COST.fullmatch(row)) is not None:
            address = int(match[1], 16)
            cost = sum(weight * int(number) for weight, number in zip(events, match[2].split(), strict=False))
            caller = (names["ob"], names["fn"])
            if is_call:
                counts.calls.append((caller, address, (names["cob"] or names["ob"], names["cfn"]), cost))
                names["cob"], is_call = "", False
            else:
                counts.own.setdefault(caller, Counter())[address] += cost
    return counts
