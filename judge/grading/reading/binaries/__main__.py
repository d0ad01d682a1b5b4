"""`python -m judge.grading.reading.binaries PART PROGRAM SOURCE LAST < INPUT`: what a run left by line, as JSON.

PROGRAM: the compiled program, of which the places in INPUT are addresses; "-": they are lines already. SOURCE: the
student's file in the line table; LAST: its last line. The answer, or {"problem": "no table", "no tool" or
"unreadable"}:

crash_line (INPUT: the table of `sandbox.unwinding.traces`): {"signal", "line"}, the innermost call in the source, 0 if
    there is none.
state_line (chains as `sandbox.unwinding.records` prints them): {"line"} of the first one, 0 if there is none.
line_costs (the table of `sandbox.unwinding.traces`): {"lines": [[line, writes, bytes], ...], "sampled_every"}, line 0
    for writes that belong to no line.
line_times (chains as `sandbox.unwinding.records` prints them): {"lines": [[line, own, total], ...], "stacks": [[lines,
    samples], ...], "samples", "elsewhere", "cut"}, all numbers of samples: `judge.grading.events.LineTimes` says what
    each is.
"""

import json
import sys
from collections import Counter
from collections.abc import Iterable

from judge.grading.reading.binaries.addresses import ToolFailed, lines_of
from judge.grading.reading.binaries.blocks import spread_over_blocks
from sandbox.unwinding.records import Chains
from sandbox.unwinding.traces import read_ending, read_trace

_MOST_STACKS = 300  # that are kept
_MOST_DEPTH = 64  # lines of one of them


def main() -> None:
    """Answer."""
    part, program, source, last = sys.argv[1:]
    parts = {
        "crash_line": crash_line,
        "line_costs": line_costs,
        "line_times": line_times,
        "state_line": state_line,
    }
    try:
        answer = parts[part](program, source, int(last))
    except ToolFailed as error:
        answer = {"problem": str(error)}
    json.dump(answer, sys.stdout)


def _lines_of(places: Iterable[int], program: str, source: str) -> dict[int, tuple[int, ...]]:
    return {place: (place,) for place in places} if program == "-" else lines_of(places, program, source)


def crash_line(program: str, source: str, last: int) -> dict[str, object]:
    """Find the line of the call that a signal ended the run in. Raises ToolFailed."""
    trace = read_ending(sys.stdin.buffer.read())
    if trace is None:
        return {"problem": "no table"}
    lines = lines_of(trace.frames, program, source)
    line = next((lines[frame][0] for frame in trace.frames if frame in lines), 0)
    return {"signal": trace.signal, "line": line if 0 < line <= last else 0}


def state_line(program: str, source: str, last: int) -> dict[str, object]:
    """Find the innermost line of the one chain of calls. Raises ToolFailed."""
    chains = json.load(sys.stdin)["stacks"]
    chain = chains[0][0] if chains else []
    lines = _lines_of(chain, program, source)
    return {"line": next((line for place in chain for line in lines.get(place, ()) if 0 < line <= last), 0)}


def line_costs(program: str, source: str, last: int) -> dict[str, object]:
    """Add up the writes by line. Raises ToolFailed."""
    trace = read_trace(sys.stdin.buffer.read())
    if trace is None:
        return {"problem": "no table"}
    lines = _lines_of({frame for stack in trace.stacks for frame in stack.frames}, program, source)
    innermost = {frame: numbers[0] for frame, numbers in lines.items() if 0 < numbers[0] <= last}
    writes: Counter[int] = Counter()
    sizes: Counter[int] = Counter()
    for stack in trace.stacks:
        line = next((innermost[frame] for frame in stack.frames if frame in innermost), 0)
        writes[line] += stack.writes
        sizes[line] += stack.bytes
    return {"lines": [[line, writes[line], sizes[line]] for line in writes], "sampled_every": trace.sampled_every}


def line_times(program: str, source: str, last: int) -> dict[str, object]:
    """Add up the samples by line. Raises ToolFailed."""
    stacks_read = json.load(sys.stdin)["stacks"]
    chains: Chains = Counter({(tuple(chain), is_cut): number for chain, number, is_cut in stacks_read})
    if program != "-":
        chains = spread_over_blocks(chains, program)
    lines = {  # of each place, innermost first
        place: tuple(number for number in numbers if 0 < number <= last)
        for place, numbers in _lines_of({at for chain, _ in chains for at in chain}, program, source).items()
    }
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
