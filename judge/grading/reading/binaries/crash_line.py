"""`python -m judge.grading.reading.binaries.crash_line PROGRAM SOURCE LAST < TABLE`: where a run ended, as JSON.

TABLE: of `sandbox.unwinding.endings`; the other arguments are those of `line_times`. The answer: {"signal", "line"},
the innermost call in the source, 0 if there is none; or {"problem": "no table", "no tool" or "unreadable"}.
"""

import json
import sys

from judge.grading.reading.binaries.addresses import lines_of
from judge.grading.reading.binaries.tools import NoTool, ToolFailed
from sandbox.unwinding.endings import EndingTrace, read_ending


def main() -> None:
    """Answer."""
    program, source, last = sys.argv[1:]
    trace = read_ending(sys.stdin.buffer.read())
    json.dump({"problem": "no table"} if trace is None else _place(trace, program, source, int(last)), sys.stdout)


def _place(trace: EndingTrace, program: str, source: str, last: int) -> dict[str, object]:
    try:
        lines = lines_of(trace.frames, program, source)
    except NoTool:
        return {"problem": "no tool"}
    except ToolFailed:
        return {"problem": "unreadable"}
    line = next((lines[frame][0] for frame in trace.frames if frame in lines), 0)
    return {"signal": trace.signal, "line": line if 0 < line <= last else 0}


if __name__ == "__main__":
    main()
