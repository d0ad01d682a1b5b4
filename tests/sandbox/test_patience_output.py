"""Programs of ours that are asked something."""

import subprocess
import sys
from pathlib import Path

import pytest

from sandbox.patience import output_of


def python(code: str) -> list[str]:
    return [sys.executable, "-c", code]


def test_what_it_prints_of_what_it_was_given() -> None:
    code = "import sys, time; said = sys.stdin.read(); time.sleep(0.3); print(len(said))"  # longer than a slice
    assert output_of(python(code), 30, stdin=b"x" * 200_000) == b"200000\n"


def test_one_that_reads_late_is_given_all_of_it() -> None:
    code = "import sys, time; time.sleep(0.3); print(len(sys.stdin.read()))"  # and it is more than a pipe holds
    assert output_of(python(code), 30, stdin=b"x" * 200_000) == b"200000\n"


def test_one_that_fails_is_told() -> None:
    with pytest.raises(subprocess.CalledProcessError):
        output_of(python("print(1); raise SystemExit(3)"), 30)
    with pytest.raises(OSError, match="nowhere"):
        output_of(["/nowhere"], 30)


@pytest.mark.thorough
def test_one_that_does_not_end_is_killed(tmp_path: Path) -> None:
    own = tmp_path / "pid"
    code = f"import os, time; open({str(own)!r}, 'w').write(str(os.getpid())); time.sleep(600)"
    with pytest.raises(subprocess.TimeoutExpired):
        output_of(python(code), 2)
    assert not Path(f"/proc/{own.read_text()}").exists()
