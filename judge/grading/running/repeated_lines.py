"""Count how often an output repeats its last line: what a loop prints that does not come to an end."""

import os
from pathlib import Path

MANY_BYTES = 65_536  # a shorter output is not looked at
_LONGEST_LINE = 2_048
_BLOCK_BYTES = 1 << 20


def repeated_lines(path: Path | None) -> int:
    """Return how many times in a row a file's last whole line stands at its end; 0 of a missing or a short file.

    What comes after the last newline is left out: where a run is stopped, its last line is mostly cut. It takes a
    millisecond for each MiB of such lines, of which an output limit bounds the number. Raises OSError.
    """
    if path is None or path.stat().st_size < MANY_BYTES:
        return 0
    with path.open("rb") as file:
        descriptor, size = file.fileno(), path.stat().st_size
        tail = os.pread(descriptor, _LONGEST_LINE, size - _LONGEST_LINE)
        last = tail.rfind(b"\n") + 1
        line = tail[tail.rfind(b"\n", 0, max(0, last - 1)) + 1 : last]
        if not line or len(line) == last:
            return 0
        end, count = size - len(tail) + last, 0
        lines = _BLOCK_BYTES // len(line)
        while lines:
            length = lines * len(line)
            if end >= length and os.pread(descriptor, length, end - length) == lines * line:
                end, count = end - length, count + lines
            else:
                lines //= 2
        is_whole = end == 0 or os.pread(descriptor, 1, end - 1) == b"\n"
        return count if is_whole else count - 1
