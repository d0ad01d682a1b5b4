"""Which basic blocks of a program have their samples spread or moved to a branch, and how."""

from collections import Counter

import pytest

from judge.grading.reading.binaries.blocks import Deal, deals_of

TIGHT = """
0000000000001720 <main>:
    1720:\tpush   %rbp
    1721:\tmov    $0x8f0d180,%eax
    172d:\tnopl   (%rax)
    1730:\timul   $0x19660d,%ebx,%ebx
    1736:\tadd    $0x3c6ef35f,%ebx
    173c:\tsub    $0x1,%eax
    173f:\tjne    1730 <main+0x10>
    1741:\tlea    -0x11a8(%rip),%rbp        # 5a0 <.LC0>
    174f:\tcall   15d0 <printf$plt>
    1754:\tpop    %rbp
    1755:\tret
"""
LOOP = (0x1730, 0x1736, 0x173C, 0x173F)


def blocks_of(disassembly: str, *addresses: int) -> dict[int, tuple[int, ...]]:
    """Of each address the block over which its samples are spread."""
    deals = deals_of(disassembly.splitlines(), dict.fromkeys(addresses, 1))
    return {address: tuple(deal.sharers) for address, deal in deals.items()}


def test_a_loop_of_brief_instructions_is_one_block() -> None:
    assert blocks_of(TIGHT, 0x1736, 0x1754) == {0x1736: LOOP, 0x1754: (0x1754, 0x1755)}


@pytest.mark.parametrize(
    "waits",
    [
        "imul   (%rdi,%rax,4),%ebx",  # an array's
        "mov    %ebx,0x10(%rdi)",
        "idiv   %ecx",
        "divsd  %xmm1,%xmm0",
        "lock add %eax,%ebx",
        "rep stos %al,%es:(%rdi)",
        "rdtsc",
        "mov    %fs:0x28,%rax",
    ],
)
def test_a_block_that_may_wait_keeps_its_samples(waits: str) -> None:
    assert blocks_of(TIGHT.replace("imul   $0x19660d,%ebx,%ebx", waits), 0x1736) == {}


def test_what_lies_on_the_stacks_top_is_no_reason_to_wait() -> None:
    assert blocks_of(TIGHT.replace("imul   $0x19660d,%ebx,%ebx", "imul   0x8(%rsp),%ebx"), 0x1736) == {0x1736: LOOP}


def test_a_block_behind_one_that_may_wait_keeps_its_samples() -> None:
    waiting = TIGHT.replace("mov    $0x8f0d180,%eax", "mov    (%rdi),%eax")
    assert blocks_of(waiting, 0x1736) == {}
    further = waiting.replace("    172d:", "    172a:\tinc    %edx\n    172d:")
    assert blocks_of(further, 0x1736) == {0x1736: LOOP}


def test_a_function_with_a_computed_jump_keeps_its_samples() -> None:
    assert blocks_of(TIGHT.replace("ret", "notrack jmp *%rax"), 0x1736) == {}


def test_a_jump_from_elsewhere_begins_a_block() -> None:
    cold = "\n0000000000001800 <main.cold>:\n    1800:\tjmp    173c <main+0x1c>\n"
    assert blocks_of(TIGHT + cold, 0x1730, 0x173F) == {0x1730: LOOP[:2], 0x173F: LOOP[2:]}


def test_what_is_no_disassembly_has_no_blocks() -> None:
    assert blocks_of("objdump: main: file format not recognized\n" + "\x00" * 9, 0x1736) == {}


# a search that leaves its short loop at 1207 or 120d, on its last line at 1210, and a jump that is always taken
SEARCH = """
0000000000001200 <search>:
    1200:\tmov    (%rdi,%rax,1),%ecx
    1204:\tcmp    %cl,(%rsi)
    1207:\tjne    1210 <search+0x10>
    1209:\tadd    $0x1,%rax
    120b:\tcmp    %rdx,%rax
    120d:\tjb     1200 <search>
    1210:\tcmp    %rdx,%rax
    1213:\tsbb    $0xffffffff,%r8d
    1217:\tadd    $0x1,%rsi
    121b:\tjmp    1220 <search+0x20>
    1220:\tadd    $0x1,%rdi
    1224:\tadd    $0x1,%r9
    1228:\tadd    $0x1,%r10
    122c:\tret
"""


def moved(counts: dict[int, int], disassembly: str = SEARCH) -> Counter[int]:
    """The samples of each address after they were dealt in their shares."""
    deals = deals_of(disassembly.splitlines(), counts)
    found: Counter[int] = Counter()
    for address, number in counts.items():
        for place, share in shares_of(deals[address]).items() if address in deals else [(address, 1.0)]:
            found[place] += round(number * share)
    return +found


def shares_of(deal: Deal) -> dict[int, float]:
    shares = {place: (1 - deal.moved) / len(deal.sharers) for place in deal.sharers}
    before = 0.0
    for branch, up_to in zip(deal.branches, deal.up_to, strict=True):
        shares[branch] = shares.get(branch, 0.0) + (up_to - before) * deal.moved
        before = up_to
    return shares


def test_what_a_wrongly_predicted_branch_costs_is_moved_to_it() -> None:
    assert moved({0x1207: 800, 0x1213: 100, 0x1217: 10}) == {0x1207: 890, 0x1213: 10, 0x1217: 10}


def test_branches_share_by_how_often_they_are_executed() -> None:
    assert moved({0x1207: 300, 0x120D: 100, 0x1213: 80}) == {0x1207: 360, 0x120D: 120}


def test_a_block_that_nothing_leads_to_keeps_its_samples() -> None:
    assert moved({0x1213: 100}) == {0x1213: 100}


def test_a_jump_that_is_always_taken_is_predicted() -> None:
    assert moved({0x1210: 40, 0x1220: 800}) == {0x1210: 40, **dict.fromkeys((0x1220, 0x1224, 0x1228, 0x122C), 200)}


def test_a_loop_that_leads_to_itself_keeps_its_samples() -> None:
    even = TIGHT.replace("ret", "jmp    1730 <main+0x10>")
    assert moved({0x1730: 1000}, even) == dict.fromkeys(LOOP, 250)


def test_an_even_block_has_what_its_entry_has_and_the_branch_the_rest() -> None:
    """A recursion's end: four instructions behind a block of five with 50 samples. 160 are too many by 120."""
    recursion = """
0000000000001300 <f>:
    1300:\tpush   %rbx
    1301:\tmov    %rdi,%rbx
    1304:\txor    %eax,%eax
    1306:\tcmp    $0x2,%rdi
    130a:\tjb     1320 <f+0x20>
    130c:\tcall   1300 <f>
    1320:\tadd    %rbx,%rax
    1323:\tadd    $0x8,%rsp
    1327:\tpop    %rbx
    1328:\tret
"""
    found = moved({0x1301: 50, 0x1328: 160}, recursion)
    assert found == {0x130A: 130, **dict.fromkeys((0x1300, 0x1301, 0x1304, 0x1306, 0x1320, 0x1323, 0x1327, 0x1328), 10)}


@pytest.mark.parametrize("turns", [10, 997])
def test_samples_are_dealt_in_their_shares(turns: int) -> None:
    deal = Deal(0, 0.5, (1, 2), (0.6, 1.0), (3, 4))
    dealt = Counter(deal.pick(turn) for turn in range(turns))
    shares = shares_of(deal)
    assert shares.keys() == {1, 2, 3, 4}
    assert sum(shares.values()) == pytest.approx(1)
    assert all(abs(dealt[place] - turns * share) < 3 for place, share in shares.items())


def test_a_huge_block_is_dealt_quickly() -> None:
    """Time and memory for each sample must not grow with a block that a student made large."""
    adds = "".join(f"    {0x10000 + 4 * number:x}:\tadd    $0x1,%eax\n" for number in range(50_000))
    deals = deals_of(("0000000000010000 <main>:\n" + adds).splitlines(), dict.fromkeys(range(0x10000, 0x15000, 4), 1))
    assert len({id(deal.sharers) for deal in deals.values()}) == 1
    assert len({deal.pick(turn) for turn, deal in enumerate(deals.values())}) == len(deals)
