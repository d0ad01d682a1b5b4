"""`python -m judge.grading.reading.binaries.line_times PROGRAM SOURCE LAST < CHAINS`: CPU time by line as JSON.

CHAINS: as `sandbox.unwinding.records` prints them. PROGRAM: the compiled program, of which their frames are addresses;
"-": they are lines already. SOURCE: the student's file in the line table; LAST: its last line.

The answer: {"lines": [[line, own, total], ...], "stacks": [[lines, samples], ...], "samples", "elsewhere", "cut"}, all
numbers of samples: `judge.grading.events.LineTimes` says what each is; or {"problem": "no tool" or "unreadable"}.
"""

import json
import sys
from collections import Counter

from judge.grading.reading.binaries.addresses import ToolFailed, lines_of
from judge.grading.reading.binaries.blocks import spread_over_blocks
from sandbox.unwinding.records import Chains

_MOST_STACKS = 300  # that are kept
_MOST_DEPTH = 64  # lines of one of them


def main() -> None:
    """Answer."""
    program, source, last = sys.argv[1:]
    chains: Chains = Counter(
        {(tuple(chain), is_cut): number for chain, number, is_cut in json.load(sys.stdin)["stacks"]}
    )
    try:
        if program != "-":
            chains = spread_over_blocks(chains, program)
            lines = lines_of((place for chain, _ in chains for place in chain), program, source)
        else:
            lines = {line: (line,) for chain, _ in chains for line in chain}
    except ToolFailed as error:
        answer: dict[str, object] = {"problem": str(error)}
    else:
        existing = {place: tuple(n for n in numbers if 0 < n <= int(last)) for place, numbers in lines.items()}
        answer = line_times(chains, existing)
    json.dump(answer, sys.stdout)


def line_times(chains: Chains, lines: dict[int, tuple[int, ...]]) -> dict[str, object]:
    """Add up the samples by line. `lines`: those of each place, innermost first."""
    stacks: Counter[tuple[int, ...]] = Counter()
    own: Counter[int] = Counter()
    total: Counter[int] = Counter()
    cut = 0
    for (places, is_cut), number in chains.items():
        chain = tuple(line for place in places for line in lines.get(place, ()))
        stacks[chain[:_MOST_DEPTH]] += number
        if chain:
            own[chain[0]] += number
            total.update(dict.fromkeys(chain, number))
            cut += number if is_cut else 0
    elsewhere = stacks.pop((), 0)
    return {
        "lines": [[line, own[line], total[line]] for line in sorted(total, key=lambda at: (-own[at], -total[at], at))],
        "stacks": stacks.most_common(_MOST_STACKS),
        "samples": chains.total(),
        "elsewhere": elsewhere,
        "cut": cut,
    }


if __name__ == "__main__":
    main()
