"""The lanes of `make test`: each test in one of them, and a test that fails beside others only is a defect."""

import sys
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests import lanes

FLAKY = """
from pathlib import Path

def test_fails_at_first() -> None:
    mark = Path(__file__).with_suffix(".mark")
    has_run = mark.exists()
    mark.touch()
    assert has_run

def test_passes() -> None:
    pass
"""


@pytest.fixture
def lane(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[lanes.Lane]:
    """The only lane of a run: it runs the tests that a test writes to test_it.py, in a folder of its own."""
    monkeypatch.setattr(lanes, "LOGS", tmp_path / "logs")
    monkeypatch.setattr(lanes, "DEFECTS", tmp_path / "defects.txt")
    options = ("-p", "no:django", f"--rootdir={tmp_path}", "-c", str(tmp_path / "pytest.ini"))
    (tmp_path / "pytest.ini").write_text("[pytest]\n")
    lane = lanes.Lane("only", (sys.executable, "-m", "pytest", *options, str(tmp_path / "test_it.py")))
    monkeypatch.setattr(lanes, "lanes", lambda: [lane])
    yield lane
    lane.kill()


def test_test_that_passes_alone_is_a_defect_of_the_next_commit(
    lane: lanes.Lane, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "test_it.py").write_text(FLAKY)
    assert lanes.main() == 0
    *_, heading, name, last = capsys.readouterr().out.splitlines()
    assert heading == "Defects of the next commit: failed beside other lanes, passed alone"
    assert name == "  test_it.py::test_fails_at_first"
    assert last.startswith("all passed after")
    assert last.endswith("defects of the next commit: 1")
    ((commit, test),) = [line.split() for line in (tmp_path / "defects.txt").read_text().splitlines()]
    assert test == "test_it.py::test_fails_at_first"
    assert int(commit, 16)


def test_test_that_fails_alone_fails_the_run(
    lane: lanes.Lane, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "test_it.py").write_text("def test_fails() -> None:\n    assert False\n")
    assert lanes.main() == 1
    *_, failure, last = capsys.readouterr().out.splitlines()
    assert failure == "FAILED: only: test_it.py::test_fails"
    assert last.startswith("failed after")
    assert last.endswith("defects of the next commit: 0")
    assert not (tmp_path / "defects.txt").exists()


def test_each_folder_of_tests_is_in_one_lane() -> None:
    """The lane of tests without jails has all folders, each lane with jails its own, one all the others."""
    commands = {lane.name: lane.command for lane in lanes.lanes() if lane.is_pytest}
    marks = {name: command[command.index("-m", 2) + 1] for name, command in commands.items()}
    assert marks == {"plain": "not jail", **dict.fromkeys(commands.keys() - {"plain"}, "jail")}
    own = Counter(word for name in commands for word in commands[name] if word.startswith("tests/"))
    others = {word.partition("=")[2] for word in commands["judging"] if word.startswith("--ignore=")}
    assert own == Counter(others)
    assert not [word for word in commands["plain"] if word.startswith(("tests/", "--ignore"))]
