"""`python -m judge.grading.reading.binaries.line_costs PROGRAM SOURCE LAST < TABLE`: writes by line as JSON.

TABLE: of `sandbox.unwinding.writes`; the other arguments are those of `line_times`. The answer: {"lines": [[line,
writes, bytes], ...], "sampled_every"}, line 0 for writes that belong to no line; or {"problem": "no table", "no tool"
or "unreadable"}.
"""

import json
import sys
from collections import Counter

from judge.grading.reading.binaries.addresses import ToolFailed, lines_of
from sandbox.unwinding.writes import read_trace


def main() -> None:
    """Answer."""
    program, source, last = sys.argv[1:]
    trace = read_trace(sys.stdin.buffer.read())
    if trace is None:
        json.dump({"problem": "no table"}, sys.stdout)
        return
    frames = {frame for stack in trace.stacks for frame in stack.frames}
    try:
        lines = lines_of(frames, program, source) if program != "-" else {frame: (frame,) for frame in frames}
    except ToolFailed as error:
        json.dump({"problem": str(error)}, sys.stdout)
        return
    innermost = {frame: numbers[0] for frame, numbers in lines.items() if 0 < numbers[0] <= int(last)}
    writes: Counter[int] = Counter()
    sizes: Counter[int] = Counter()
    for stack in trace.stacks:
        line = next((innermost[frame] for frame in stack.frames if frame in innermost), 0)
        writes[line] += stack.writes
        sizes[line] += stack.bytes
    costs = [[line, writes[line], sizes[line]] for line in writes]
    json.dump({"lines": costs, "sampled_every": trace.sampled_every}, sys.stdout)


if __name__ == "__main__":
    main()
