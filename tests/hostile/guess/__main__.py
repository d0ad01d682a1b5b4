"""The interactor of the problem `guess`: the corpus's own, with the exit codes and messages of a package's.

Usage: INPUT ANSWER FEEDBACK_DIR/. What the submission says is left for the judges, so that a test can search it.
"""

import io
import runpy
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import BinaryIO

ACCEPTED, REJECTED = 42, 43
MOST_BYTES = 16_000
REFERENCE = Path(__file__).with_name("guess_interactor.py")


class Tapped(io.StringIO):
    """The submission's lines, each kept before it is handed on."""

    def __init__(self, message: BinaryIO) -> None:
        super().__init__()
        self.message = message

    def __iter__(self) -> Iterator[str]:  # type: ignore[override]
        with open(0, "rb") as lines:
            while line := lines.readline(MOST_BYTES):
                self.message.write(line)
                self.message.flush()
                yield line.decode("utf-8", "replace")


def main() -> int:
    input_file, _, feedback = sys.argv[1:4]
    sys.argv[1:] = [Path(input_file).read_text().split()[0]]
    with Path(feedback, "judgemessage.txt").open("wb") as message:
        sys.stdin = Tapped(message)
        try:
            runpy.run_path(str(REFERENCE))
        except SystemExit as end:
            return ACCEPTED if end.code == 0 else REJECTED
    raise AssertionError("the corpus's interactor always says something")


sys.exit(main())
