"""`python -m sandbox.unwinding FILE < RECORDS`: the call chains of a sampled run as JSON.

FILE: the program, whose frames are named, as addresses.
"""

import sys

from sandbox.unwinding.native_frames import NativeFrames
from sandbox.unwinding.records import answer, records_in


def main() -> None:
    """Read all records, since those of several processors are not in the order of their time."""
    frames = NativeFrames(sys.argv[1])
    frames.take(sorted(records_in(sys.stdin.buffer), key=lambda record: record.time_ns))
    print(answer(frames.chains))


if __name__ == "__main__":
    main()
