"""The benchmark sees what it should see: more work in the jail, more time around it, a busy core."""

import os
import statistics
from collections.abc import Iterator
from pathlib import Path

import pytest

from bench.jail.conditions import Condition, kept_busy
from bench.jail.contest import Contest, open_contest
from sandbox.jail.nsjail import NsjailSandbox

CORE = max(os.sched_getaffinity(0))
PYTHON = ("/usr/bin/python3", "-I", "-S", "-c")


@pytest.fixture
def contest(work_root: Path, programs: Path) -> Iterator[Contest]:
    with open_contest(NsjailSandbox(work_root), programs, CORE) as opened:
        yield opened


def _children() -> set[int]:
    return set(map(int, Path(f"/proc/self/task/{os.getpid()}/children").read_text().split()))


def test_twice_the_work_is_seen_in_cpu_time(contest: Contest) -> None:
    bouts = [contest.bout(("{}/integer", "30"), jailed_argv=("{}/integer", "60")) for _ in range(5)]
    assert 1.6 < statistics.median(bout.cpu.ratio for bout in bouts) < 2.4


def test_more_writes_are_seen_in_cpu_time(contest: Contest) -> None:
    assert contest.bout(("{}/tiny",), jailed_argv=("{}/writes",)).cpu.ratio > 5


def test_time_around_a_run_is_seen_in_wall_time_only(contest: Contest) -> None:
    waits = "import time; time.sleep(0.3)"
    bouts = [contest.bout((*PYTHON, "import time"), jailed_argv=(*PYTHON, waits)) for _ in range(3)]
    assert statistics.median(bout.wall.difference for bout in bouts) > 150_000  # the bare run may be held up
    assert statistics.median(bout.cpu.difference for bout in bouts) < 25_000


def test_who_goes_first_alternates_in_each_series_whatever_runs_between(
    contest: Contest, monkeypatch: pytest.MonkeyPatch
) -> None:
    begun: list[str] = []

    def note(name: str) -> None:
        run = getattr(contest, name)

        def noted(argv: tuple[str, ...]) -> tuple[float, float]:
            begun.append(name)
            answer: tuple[float, float] = run(argv)
            return answer

        monkeypatch.setattr(contest, name, noted)

    note("_run_bare")
    note("_run_jailed")
    for _ in range(2):
        contest.bout(("/bin/true",), series="idle")
        contest.bout(("/bin/true",), series="busy")
        contest.bout(("{}/tiny",))
        contest.bout(("{}/tiny",))
    assert begun[::2] == ["_run_bare"] * 3 + ["_run_jailed"] * 3 + ["_run_bare", "_run_jailed"]


def test_program_that_fails_gives_no_figure(contest: Contest) -> None:
    with pytest.raises(SystemExit, match="did not pass in the jail: exited exit code 1"):
        contest.bout(("/bin/true",), jailed_argv=(*PYTHON, "raise SystemExit(1)"))


@pytest.mark.parametrize("condition", list(Condition))
def test_busy_loops_have_their_cores_and_end(condition: Condition, programs: Path) -> None:
    before = _children()
    with kept_busy(condition.cores(CORE), programs):
        loops = _children() - before
        assert [os.sched_getaffinity(pid) for pid in sorted(loops)] == [{core} for core in condition.cores(CORE)]
    assert _children() == before


def test_all_cores_busy_means_the_programs_core_too() -> None:
    assert Condition.ALL_BUSY.cores(CORE) == sorted(os.sched_getaffinity(0))
    assert Condition.ONE_BUSY.cores(CORE) != [CORE] or len(os.sched_getaffinity(0)) == 1
    assert Condition.IDLE.cores(CORE) == []
