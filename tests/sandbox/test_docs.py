"""What docs/sandbox.md shows is run."""

import re
from pathlib import Path

import pytest

from tests.sandbox.conftest import WORK_ROOT

DOCUMENT = Path(__file__).parents[2] / "docs" / "sandbox.md"


def test_the_example_does_what_it_says(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (example,) = re.findall(r"```python\n(.*?)```", DOCUMENT.read_text("utf-8"), re.DOTALL)
    monkeypatch.chdir(folder)
    Path("in").write_text("hello\n")
    names: dict[str, object] = {}
    exec(example.replace("/var/lib/tally/work", str(WORK_ROOT)), names)  # noqa: S102 - our own words
    assert Path("out").read_text() == "hello\n"
    assert getattr(names["profile"], "syscalls")["write"] == 1  # noqa: B009 - of a type that only the example knows
