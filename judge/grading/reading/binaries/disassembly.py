"""The basic blocks of a compiled program: which instructions each has, how costly they may be, and what leads to it.

How it works: `objdump` disassembles the program. A block begins at a function, at the target of a jump and after a
jump, a call or a return. A function with a computed jump is left out, because its blocks are not known. Source:
objdump(1).
"""

import re
from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from judge.grading.reading.binaries.tools import OBJDUMP, NoTool, ToolFailed, rows_of

_INSTRUCTION = re.compile(r" *([0-9a-f]{1,16}):\t(.*)")
_FUNCTION = re.compile(r"[0-9a-f]{16} <.*>:")
_JUMP = re.compile(r"(?:bnd |notrack )*(j\w+|loop\w*) +(\*?)([0-9a-f]*).*")
_ENDS = re.compile(r"(?:bnd |notrack |repz )*(?:j|loop|call|ret|ud2|hlt|int3).*")
_LEAVES = re.compile(r"(?:bnd |notrack |repz )*(?:jmp|ret|ud2|hlt|int3).*")  # never to the next instruction
_BRIEF = re.compile(
    r"(?:adc|add|and|bt|call|cmp|dec|imul|inc|lea|mov[sz]?|mul|neg|not|or|pop|push|rol|ror|sal|sar|sbb|shl|shr|sub|test"
    r"|xchg|xor)[bwlq]{0,2}|(?:add|sub|mul)s[sd]|pxor|xorp[sd]|movap[sd]|cmov\w+|set\w+|j\w+|ret|movabs|endbr64|clt[dq]"
    r"|cqto|cwt[ld]"
)
_FAR_MEMORY = re.compile(r"\((?!%rsp\))|:|\*")


@dataclass(slots=True)
class Block:
    """Instructions that are executed one after the other.

    `is_brief`: of each whether it takes a few cycles at most. `entered_from`: the blocks of its function that lead
    here. `is_forked`: its last instruction jumps or does not, by a condition.
    """

    addresses: list[int] = field(default_factory=list)
    is_brief: list[bool] = field(default_factory=list)
    entered_from: list["Block"] = field(default_factory=list)
    is_forked: bool = False


def disassembled(program: str) -> list[str]:
    """Return the rows of `objdump -d`, none if it fails."""
    try:
        return [row.decode("utf-8", "replace") for row in rows_of(OBJDUMP, ("-d", "--no-show-raw-insn", program))]
    except (NoTool, ToolFailed):
        return []


def blocks_in(disassembly: Sequence[str], addresses: Collection[int]) -> Iterator[Block]:
    """Parse `objdump -d --no-show-raw-insn`: yield the blocks of each function in which one of the addresses lies."""
    functions = _functions(disassembly)
    jumps = {address: int(match[3], 16) for f in functions for address, text in f if (match := _direct_jump(text))}
    targets = frozenset(jumps.values())
    breakpoints = frozenset(addresses)
    for function in functions:
        if breakpoints.isdisjoint(address for address, _ in function) or any(
            _is_computed(text) for _, text in function
        ):
            continue
        blocks = _blocks(function, targets)
        _link(blocks, dict(function), jumps)
        yield from blocks


def _functions(disassembly: Iterable[str]) -> list[list[tuple[int, str]]]:
    functions: list[list[tuple[int, str]]] = []
    for row in disassembly:
        if _FUNCTION.fullmatch(row):
            functions.append([])
        elif functions and (match := _INSTRUCTION.fullmatch(row)) is not None:
            functions[-1].append((int(match[1], 16), match[2].partition("#")[0].strip()))
    return functions


def _direct_jump(text: str) -> re.Match[str] | None:
    match = _JUMP.fullmatch(text)
    return match if match is not None and match[3] and not match[2] else None


def _is_computed(text: str) -> bool:
    match = _JUMP.fullmatch(text)
    return match is not None and bool(match[2])


def _blocks(function: Sequence[tuple[int, str]], targets: frozenset[int]) -> list[Block]:
    blocks: list[Block] = []
    is_new = True
    for address, text in function:
        if is_new or address in targets:
            blocks.append(Block())
        blocks[-1].addresses.append(address)
        blocks[-1].is_brief.append(_is_brief(text))
        is_new = _ENDS.fullmatch(text) is not None
    return blocks


def _link(blocks: Sequence[Block], texts: Mapping[int, str], jumps: Mapping[int, int]) -> None:
    """Tell each block of a function which others lead to it."""
    jumping: defaultdict[int, list[Block]] = defaultdict(list)
    for block in blocks:
        last = block.addresses[-1]
        if last in jumps:
            jumping[jumps[last]].append(block)
            block.is_forked = _LEAVES.fullmatch(texts[last]) is None
    before = None
    for block in blocks:
        block.entered_from = jumping[block.addresses[0]]
        if before is not None and not _LEAVES.fullmatch(texts[before.addresses[-1]]):
            block.entered_from.append(before)
        before = block


def _is_brief(text: str) -> bool:
    if "nop" in text:
        return True
    mnemonic, _, operands = text.removeprefix("bnd ").removeprefix("notrack ").removeprefix("repz ").partition(" ")
    if mnemonic.startswith("lea"):
        return True
    return _BRIEF.fullmatch(mnemonic) is not None and _FAR_MEMORY.search(operands.partition("<")[0]) is None
