"""`python -m judge.grading.reading.counting KIND COMPILED SOURCE LAST < TABLE`: how often each line ran, as JSON.

KIND: what counted, "gcc", "llvm" or "python". COMPILED: what the compiler left for it, the .gcno file of gcc or the
executable of rustc; "-": nothing. SOURCE: the student's file, as the compiler was given it; LAST: its last line. The
answer is {"lines": [[line, count], ...]}, or {"problem": "unreadable"}.
"""

import json
import struct
import sys
from pathlib import Path

from judge.grading.reading.counting import gcc, llvm, python
from judge.grading.reading.counting.gcc import Unreadable

_MOST = 1 << 62  # no run takes so many steps


def main() -> None:
    """Answer."""
    kind, compiled, source, last = sys.argv[1:]
    table = sys.stdin.buffer.read()
    try:
        if kind == "python":
            counts = python.counts_of(table)
        else:
            reader = gcc if kind == "gcc" else llvm
            counts = reader.counts_of(Path(compiled).read_bytes(), table, source.encode())
        if any(count > _MOST for count in counts.values()):
            raise Unreadable
    except (Unreadable, struct.error, OSError, RecursionError):
        json.dump({"problem": "unreadable"}, sys.stdout)
        return
    json.dump({"lines": [[line, counts[line]] for line in sorted(counts) if 0 < line <= int(last)]}, sys.stdout)


if __name__ == "__main__":
    main()
