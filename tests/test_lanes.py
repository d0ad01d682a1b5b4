"""How `make test-lanes` runs its parts: side by side, each heard whole, and none lost."""

import os
import sys
import threading
from collections import Counter
from pathlib import Path

import pytest

from tests.lanes import (
    LONGEST_FIRST,
    MEASURES,
    OPENS_NO_JAIL,
    ROOT,
    WATCHES,
    Ended,
    Lanes,
    Part,
    all_parts,
    steps,
    summary,
)
from tests.waiting import wait_for

WAITS = """
import pathlib, sys, time
try:
    pathlib.Path(sys.argv[1]).touch()
    time.sleep(600)
finally:
    print("tidied")
"""


def shell(name: str, command: str, *, has_tests: bool = True) -> Part:
    """A part that runs this in a shell."""
    return Part(name=name, command=("sh", "-c", command), has_tests=has_tests)


@pytest.fixture
def lanes(tmp_path: Path) -> Lanes:
    """Lanes that keep their logs in a folder of the test's own."""
    return Lanes(tmp_path)


def test_each_file_of_tests_is_in_one_part() -> None:
    asked = Counter(path for part in all_parts() for path in part.command if path.startswith("tests/"))
    assert set(asked.values()) == {1}
    files = {str(path.relative_to(ROOT)) for path in (ROOT / "tests").rglob("test_*.py")}
    assert files == {
        str(path.relative_to(ROOT))
        for each in asked
        for path in ([ROOT / each] if (ROOT / each).is_file() else (ROOT / each).rglob("test_*.py"))
    }


def test_each_part_has_its_turn_once() -> None:
    names = [part.name for step in steps(all_parts()) for chain in step for part in chain]
    assert sorted(names) == sorted(part.name for part in all_parts())
    assert {*LONGEST_FIRST, *WATCHES, *OPENS_NO_JAIL, *MEASURES} <= set(names)
    assert names[-1:] == [*MEASURES]


def test_two_run_side_by_side_and_each_is_heard_whole(
    lanes: Lanes, tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    os.mkfifo(tmp_path / "pipe")  # to open one end waits for who opens the other
    writes = shell("writes", f"echo one; echo said > {tmp_path}/pipe; echo two; echo 1 passed")
    reads = shell("reads", f"echo three; cat {tmp_path}/pipe; echo four; echo 2 passed, 3 deselected")
    lanes.run([[writes], [reads]], 2)
    assert all(each.is_good for each in lanes.ended)
    said = capfd.readouterr().out
    assert "one\ntwo\n1 passed\n" in said
    assert "three\nsaid\nfour\n2 passed, 3 deselected\n" in said
    assert summary(lanes.ended).splitlines()[-1].split() == ["all", "3", "passed,", "3", "deselected"]


@pytest.mark.parametrize(
    ("command", "has_tests", "is_good"),
    [
        ("echo === 5 passed in 1 s ===", True, True),
        ("echo === 1 failed, 5 passed in 1 s ===; exit 1", True, False),
        ("echo === 5 passed in 1 s ===; exit 1", True, False),
        ("echo === no tests ran in 1 s ===; exit 5", True, False),
        ("echo === 5 deselected in 1 s ===", True, False),
        ("kill -9 $$", True, False),
        ("true", False, True),
        ("false", False, False),
    ],
)
def test_only_a_part_that_passed_something_is_good(lanes: Lanes, command: str, has_tests: bool, is_good: bool) -> None:
    lanes.run([[shell("part", command, has_tests=has_tests)]], 1)
    [ended] = lanes.ended
    assert ended.is_good == is_good
    assert ("FAILED" in summary(lanes.ended)) == (not is_good)


def test_what_failed_or_was_left_out_is_told_again_at_the_end() -> None:
    said = "..F\nFAILED tests/a.py::test_x - assert 1 == 2\nSKIPPED [1] tests/b.py:3: no\n1 failed, 1 skipped in 2 s\n"
    part = Part(name="judge", command=())
    told = summary([Ended(part=part, exit_code=1, took_s=2.0, cpu_s=1.0, said=said)]).splitlines()
    assert told[:2] == ["FAILED tests/a.py::test_x - assert 1 == 2", "SKIPPED [1] tests/b.py:3: no"]
    assert told[2].split(maxsplit=1) == ["judge", "FAILED with exit code 1; 1 failed, 1 skipped; 2 s, of CPU 1 s"]


def test_who_interrupts_it_waits_for_what_runs_and_begins_nothing_more(lanes: Lanes, tmp_path: Path) -> None:
    waits = Part(name="waits", command=(sys.executable, "-c", WAITS, str(tmp_path / "begun")))
    running = threading.Thread(
        target=lanes.run, args=([[waits, shell("next", "echo 1 passed")], [shell("last", "echo 1 passed")]], 1)
    )
    running.start()
    wait_for(lambda: (tmp_path / "begun").exists(), "it runs")
    lanes.stop()
    running.join()
    [ended] = lanes.ended
    assert (ended.part, ended.is_good) == (waits, False)
    assert ended.said.startswith("tidied")
