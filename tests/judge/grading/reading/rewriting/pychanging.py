"""A Python source after its fixes, run before and after."""

import subprocess
import sys

from judge.grading.reading.rewriting import python
from judge.grading.reading.rewriting.__main__ import rewritten

INPUT = b"3\n1\n2\n3\n"


def changed(source: str, *codes: str) -> str:
    """The source after these fixes; both print the same, and end alike."""
    after = rewritten(source.encode(), python, codes)[0].decode()
    if after != source:
        assert _output(after) == _output(source), after
    return after


def _output(source: str) -> tuple[bytes, int]:
    done = subprocess.run([sys.executable, "-c", source], input=INPUT, capture_output=True, timeout=30)
    return done.stdout, done.returncode
