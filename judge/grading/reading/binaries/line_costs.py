"""`python -m judge.grading.reading.binaries.line_costs PROGRAM SOURCE LAST < TABLE`: writes by line as JSON.

TABLE: of `sandbox.unwinding.writes`; the other arguments are those of `line_times`. The answer: {"lines": [[line,
writes, bytes], ...], "sampled_every"}, line 0 for writes that belong to no line; or {"problem": "no table", "no tool"
or "unreadable"}.
"""

import json
import sys
from collections import Counter

from judge.grading.reading.binaries.addresses import ToolFailed, lines_of
from sandbox.unwinding.writes import WriteTrace, read_trace


def main() -> None:
    """Answer."""
    program, source, last = sys.argv[1:]
    trace = read_trace(sys.stdin.buffer.read())
    try:
        answer = {"problem": "no table"} if trace is None else _costs(trace, program, source, int(last))
    except ToolFailed as error:
        answer = {"problem": str(error)}
    json.dump(answer, sys.stdout)


def _costs(trace: WriteTrace, program: str, source: str, last: int) -> dict[str, object]:
    frames = {frame for stack in trace.stacks for frame in stack.frames}
    lines = lines_of(frames, program, source) if program != "-" else {frame: (frame,) for frame in frames}
    innermost = {frame: numbers[0] for frame, numbers in lines.items() if 0 < numbers[0] <= last}
    writes: Counter[int] = Counter()
    sizes: Counter[int] = Counter()
    for stack in trace.stacks:
        line = next((innermost[frame] for frame in stack.frames if frame in innermost), 0)
        writes[line] += stack.writes
        sizes[line] += stack.bytes
    return {"lines": [[line, writes[line], sizes[line]] for line in writes], "sampled_every": trace.sampled_every}


if __name__ == "__main__":
    main()
