"""Tell the samples of each basic block to the instructions that the time belongs to, as far as samples can tell.

A sample names the instruction that the processor was about to finish. Where all instructions of a basic block take a
few cycles, many of them are under way at once, and which of them is named depends on more than their cost: in a loop of
four instructions it can be the same one in nearly all samples, and another one the next day. Each instruction of a
block is executed equally often, so such a block's samples are divided evenly among them, as a count of instructions
would. A block that may wait, for memory other than the stack's top or for a division, keeps its samples as they are,
and so does one that is entered straight from such an instruction: there the sample tells where the time went.

After a branch that the processor predicted wrongly it begins anew at the block where the program continues, and the
samples of these cycles name that block. They belong to the branch, so what a block has in excess is moved to the
branches that lead to it: shared by how many samples an instruction of their blocks has, as a measure of how often they
are executed. A jump that always goes to the same place keeps its part in the block, and so does a block that leads to
itself, because the processor predicts both. What a block usually has per instruction is what those behind its first two
have; in an even block at most what its busiest entry has. The excess is what all instructions of an even block have
beyond that, or the first two of another one.

How it works: `objdump` disassembles the program. A block begins at a function, at the target of a jump and after a
jump, a call or a return. A function with a computed jump is left out, because its blocks are not known. Source:
objdump(1).
"""

import re
from bisect import bisect
from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import accumulate

from judge.grading.reading.binaries.addresses import OBJDUMP, ToolFailed, rows_of
from sandbox.unwinding.records import Chains

_HOLDS = 2  # so many instructions at its end may keep what follows waiting
_FIRST = 2  # instructions of a block that the cycles after a wrongly predicted branch can name
_GOLDEN = 0.6180339887498949  # its multiples divide an interval evenly, wherever one stops

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
    """Instructions that are executed one after the other."""

    addresses: list[int] = field(default_factory=list)
    is_brief: list[bool] = field(default_factory=list)  # of each: it takes a few cycles at most
    entered_from: list["Block"] = field(default_factory=list)  # the blocks of its function that lead here
    is_forked: bool = False  # its last instruction jumps or does not, by a condition


@dataclass(frozen=True, slots=True)
class Deal:
    """How the samples of an address are dealt. A student can make a block of any size: its addresses share them."""

    block: int  # where it begins
    moved: float  # so much of them, at most 1, goes to branches
    branches: Sequence[int]
    up_to: Sequence[float]  # of each branch: its share and those of the branches before it
    sharers: Sequence[int]  # the others go to these, each as many

    def pick(self, turn: int) -> int:
        """Return the address of the sample that has this turn in the block."""
        at = turn * _GOLDEN % 1
        if at < self.moved:
            return self.branches[min(bisect(self.up_to, at / self.moved), len(self.branches) - 1)]
        part = (at - self.moved) / (1 - self.moved)
        return self.sharers[min(int(part * len(self.sharers)), len(self.sharers) - 1)]


def spread_over_blocks(chains: Chains, program: str) -> Chains:
    """Return the samples, those of each block dealt to its instructions; what cannot be disassembled stays as it is."""
    counts: Counter[int] = Counter()
    for (chain, _), number in chains.items():
        if chain:
            counts[chain[0]] += number
    try:
        disassembly = rows_of(OBJDUMP, ("-d", "--no-show-raw-insn", program)) if counts else iter(())
        deals = deals_of([row.decode("utf-8", "replace") for row in disassembly], counts)
    except ToolFailed:
        deals = {}
    turns: Counter[int] = Counter()
    spread: Chains = Counter()
    for (chain, is_cut), number in chains.items():
        deal = deals.get(chain[0]) if chain else None
        if deal is None:
            spread[chain, is_cut] += number
            continue
        for _ in range(number):
            spread[(deal.pick(turns[deal.block]), *chain[1:]), is_cut] += 1
            turns[deal.block] += 1
    return spread


def deals_of(disassembly: Sequence[str], counts: Mapping[int, int]) -> dict[int, Deal]:
    """Parse `objdump -d --no-show-raw-insn`: return how to deal the samples of each address (`counts`) that do not
    stay.
    """
    deals: dict[int, Deal] = {}
    for block in _blocks(disassembly, counts):
        is_even = all(block.is_brief) and all(all(before.is_brief[-_HOLDS:]) for before in block.entered_from)
        scope, excess = _excess(block, counts, is_even=is_even)
        moved = excess / max(1, _samples(scope, counts))
        branches = _branches(block)
        densities = [_density(branch, counts) for branch in branches]
        whole = sum(densities) or 1.0
        lasts, up_to = [branch.addresses[-1] for branch in branches], [part / whole for part in accumulate(densities)]
        for address in counts.keys() & set(block.addresses):
            sharers = block.addresses if is_even else (address,)
            part = moved if is_even or address in scope else 0.0
            if is_even or part:
                deals[address] = Deal(block.addresses[0], part, lasts, up_to, sharers)
    return deals


def _excess(block: Block, counts: Mapping[int, int], *, is_even: bool) -> tuple[Sequence[int], float]:
    """Return the addresses that have too many samples, and how many of these belong to the branches before."""
    densities = [_density(before, counts) for before in block.entered_from]
    if not all(block.is_brief[:_FIRST]) or not sum(densities):
        return (), 0.0
    rest = block.addresses[_FIRST:]
    scope = block.addresses if is_even else block.addresses[:_FIRST]
    usual = [_samples(rest, counts) / len(rest)] if rest else []
    if is_even or not rest:
        usual.append(max(densities))
    excess = max(0.0, _samples(scope, counts) - len(scope) * min(usual))
    return scope, excess * sum(_density(before, counts) for before in _branches(block)) / sum(densities)


def _branches(block: Block) -> list[Block]:
    return [before for before in block.entered_from if before.is_forked and before is not block]


def _density(block: Block, counts: Mapping[int, int]) -> float:
    return _samples(block.addresses, counts) / len(block.addresses)


def _samples(addresses: Iterable[int], counts: Mapping[int, int]) -> int:
    return sum(counts.get(address, 0) for address in addresses)


def _blocks(disassembly: Iterable[str], addresses: Collection[int]) -> Iterator[Block]:
    """Yield the blocks of each function in which one of the addresses lies."""
    functions: list[list[tuple[int, str]]] = []
    for row in disassembly:
        if _FUNCTION.fullmatch(row):
            functions.append([])
        elif functions and (match := _INSTRUCTION.fullmatch(row)) is not None:
            functions[-1].append((int(match[1], 16), match[2].partition("#")[0].strip()))
    jumps: dict[int, int] = {}
    computed: set[int] = set()
    for address, text in (instruction for function in functions for instruction in function):
        if (jump := _JUMP.fullmatch(text)) and jump[2]:
            computed.add(address)
        elif jump and jump[3]:
            jumps[address] = int(jump[3], 16)
    targets, sampled = frozenset(jumps.values()), frozenset(addresses)
    for function in functions:
        places = {address for address, _ in function}
        if places.isdisjoint(sampled) or not places.isdisjoint(computed):
            continue
        blocks: list[Block] = []
        is_new = True
        for address, text in function:
            if is_new or address in targets:
                blocks.append(Block())
            blocks[-1].addresses.append(address)
            blocks[-1].is_brief.append(_is_brief(text))
            is_new = _ENDS.fullmatch(text) is not None
        _link(blocks, dict(function), jumps)
        yield from blocks


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
