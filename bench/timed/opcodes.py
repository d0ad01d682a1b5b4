"""Count the bytecode instructions of each line of a Python program: `python3 opcodes.py PROGRAM < INPUT`.

What a library's Python code executes is its caller's. Prints the counts as JSON on stderr's place, the last line of
stdout.
"""

import json
import sys
from collections import Counter
from types import FrameType
from typing import Any


def main(program: str) -> None:
    """Run the program under the tracer."""
    counts: Counter[int] = Counter()

    def own_line(frame: FrameType | None) -> int:
        while frame is not None and frame.f_code.co_filename != program:
            frame = frame.f_back
        return frame.f_lineno if frame is not None else 0

    def trace(frame: FrameType, event: str, _: Any) -> Any:
        frame.f_trace_opcodes, frame.f_trace_lines = True, False
        if event in ("opcode", "call"):  # a call's own instruction, RESUME, is told as the call: at the line of `def`
            counts[own_line(frame)] += 1
        return trace

    with open(program, "rb") as file:  # noqa: PTH123 - pathlib would be traced
        code = compile(file.read(), program, "exec")
    sys.settrace(trace)
    exec(code, {"__name__": "__main__"})  # noqa: S102 - this is what it is for
    sys.settrace(None)
    print("\n" + json.dumps({line: count for line, count in counts.items() if line}))


if __name__ == "__main__":
    main(sys.argv[1])
