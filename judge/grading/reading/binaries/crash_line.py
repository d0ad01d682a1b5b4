"""`python -m judge.grading.reading.binaries.crash_line PROGRAM SOURCE LAST < TABLE`: where a run ended, as JSON.

TABLE: of `sandbox.unwinding.endings`; the other arguments are those of `line_times`. The answer: {"signal", "line"},
the innermost call in the source, 0 if there is none; or {"problem": "no table", "no tool" or "unreadable"}.
"""

import json
import sys

from judge.grading.reading.binaries.addresses import ToolFailed, lines_of
from sandbox.unwinding.endings import read_ending


def main() -> None:
    """Answer."""
    program, source, last = sys.argv[1:]
    trace = read_ending(sys.stdin.buffer.read())
    if trace is None:
        answer: dict[str, object] = {"problem": "no table"}
    else:
        try:
            lines = lines_of(trace.frames, program, source)
            line = next((lines[frame][0] for frame in trace.frames if frame in lines), 0)
            answer = {"signal": trace.signal, "line": line if 0 < line <= int(last) else 0}
        except ToolFailed as error:
            answer = {"problem": str(error)}
    json.dump(answer, sys.stdout)


if __name__ == "__main__":
    main()
