"""Which basic blocks of a program have their samples spread, and how."""

import pytest

from judge.grading.reruns.blocks import even_blocks

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
    return even_blocks(disassembly.splitlines(), addresses)


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
