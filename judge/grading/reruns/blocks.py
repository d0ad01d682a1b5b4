"""Spread samples evenly over each basic block in which they cannot tell one instruction from another.

A sample names the instruction that the processor was about to finish. Where all instructions of a basic block take a
few cycles, many of them are under way at once, and which of them is named depends on more than their cost: in a loop of
four instructions it can be the same one in nearly all samples, and another one the next day. Each instruction of a
block is executed equally often, so such a block's samples are divided evenly among them, as a count of instructions
would. A block that may wait, for memory other than the stack's top or for a division, keeps its samples as they are,
and so does one that is entered straight from such an instruction: there the sample tells where the time went.

How it works: `objdump` disassembles the program in a jail, since it is a student's; its output is untrusted. A block
begins at a function, at the target of a jump and after a jump, a call or a return. In a function with a computed jump
nothing is spread, because its blocks are not known. Source: objdump(1), of the binutils that g++ and rustc link with.
"""

import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from judge.grading.compiling.compilation import Executable
from sandbox.errors import CommandError
from sandbox.types import MIB, CodePlace, Command, CpuSamples, Ending, Image, JailSpec, Limits, SampledStack, Sandbox

_OBJDUMP = "/usr/bin/objdump"
_LIMITS = Limits(cpu_time_ms=10_000, wall_time_ms=20_000, memory_bytes=512 * MIB, output_bytes=16 * MIB)
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
_HOLDS = 2  # so many instructions at its end may keep what follows waiting


@dataclass(slots=True)
class _Block:
    """Instructions that are executed one after the other: their addresses, and of each whether it is done soon."""

    addresses: list[int]
    is_brief: list[bool]

    def is_even(self, entered_from: Iterable["_Block"]) -> bool:
        return all(self.is_brief) and all(all(before.is_brief[-_HOLDS:]) for before in entered_from)


def spread_over_blocks(samples: CpuSamples, executable: Executable, sandbox: Sandbox, folder: Path) -> CpuSamples:
    """Return the samples with those of each such block of the program divided among its instructions.

    `folder` is private to the submission. What cannot be disassembled stays as it is. Raises SandboxError.
    """
    program = executable.argv[0]
    innermost = {stack.frames[0].place for stack in samples.stacks if stack.frames and stack.frames[0].file == program}
    blocks = even_blocks(_disassembled(executable, sandbox, folder), innermost) if innermost else {}
    turns: Counter[tuple[int, ...]] = Counter()
    spread: Counter[SampledStack] = Counter()
    for stack in samples.stacks:
        block = blocks.get(stack.frames[0].place, ()) if stack.frames and stack.frames[0].file == program else ()
        for number in range(stack.samples if block else 0):
            place = CodePlace(program, block[(turns[block] + number) % len(block)])
            spread[replace(stack, frames=(place, *stack.frames[1:]), samples=0)] += 1
        turns[block] += stack.samples
        if not block:
            spread[replace(stack, samples=0)] += stack.samples
    stacks = tuple(replace(stack, samples=number) for stack, number in spread.most_common())
    return replace(samples, stacks=stacks)


def _disassembled(executable: Executable, sandbox: Sandbox, folder: Path) -> list[str]:
    told = folder / "instructions"
    command = Command(argv=(_OBJDUMP, "-d", "--no-show-raw-insn", executable.argv[0]), stdout=told)
    try:
        with sandbox.open_jail(JailSpec(mounts=(executable.mount,), image=Image.TOOLS)) as jail:
            outcome = jail.run(command, _LIMITS)
    except CommandError:  # a judge without binutils
        return []
    if outcome.ending is not Ending.EXITED or outcome.exit_code != 0:
        return []
    return told.read_text("utf-8", "replace").splitlines()


def even_blocks(disassembly: Sequence[str], addresses: Iterable[int]) -> dict[int, tuple[int, ...]]:
    """Parse `objdump -d --no-show-raw-insn`: return the block of each address that lies in one to spread over."""
    functions = _functions(disassembly)
    jumps = {address: int(match[3], 16) for f in functions for address, text in f if (match := _direct_jump(text))}
    targets = frozenset(jumps.values())
    wanted = set(addresses)
    found: dict[int, tuple[int, ...]] = {}
    for function in functions:
        here = wanted.intersection(address for address, _ in function)
        if not here or any((match := _JUMP.fullmatch(text)) and match[2] for _, text in function):
            continue
        blocks = _blocks(function, targets)
        entered_from = _entries(blocks, dict(function), jumps)
        for block in blocks:
            if block.is_even(entered_from[block.addresses[0]]):
                found.update(dict.fromkeys(here.intersection(block.addresses), tuple(block.addresses)))
    return found


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


def _blocks(function: Sequence[tuple[int, str]], targets: frozenset[int]) -> list[_Block]:
    blocks: list[_Block] = []
    is_new = True
    for address, text in function:
        if is_new or address in targets:
            blocks.append(_Block([], []))
        blocks[-1].addresses.append(address)
        blocks[-1].is_brief.append(_is_brief(text))
        is_new = _ENDS.fullmatch(text) is not None
    return blocks


def _entries(
    blocks: Sequence[_Block], texts: Mapping[int, str], jumps: Mapping[int, int]
) -> defaultdict[int, list[_Block]]:
    """Return the blocks of a function that lead to each of them, by where it begins."""
    entries: defaultdict[int, list[_Block]] = defaultdict(list)
    for place, block in enumerate(blocks):
        last = block.addresses[-1]
        if last in jumps:
            entries[jumps[last]].append(block)
        if place + 1 < len(blocks) and not _LEAVES.fullmatch(texts[last]):
            entries[blocks[place + 1].addresses[0]].append(block)
    return entries


def _is_brief(text: str) -> bool:
    if "nop" in text:
        return True
    mnemonic, _, operands = text.removeprefix("bnd ").removeprefix("notrack ").removeprefix("repz ").partition(" ")
    if mnemonic.startswith("lea"):
        return True
    return _BRIEF.fullmatch(mnemonic) is not None and _FAR_MEMORY.search(operands.partition("<")[0]) is None
