"""Whose time it was, how long one waits, and which runs are made again."""

from pathlib import Path

import pytest

from sandbox.entry.command_line import as_json, lines
from sandbox.errors import DisturbedError
from sandbox.jail.doubt import MOST_RUNS, Doubt, doubt_about, doubt_about_pair, make_room, repeated
from sandbox.patience import GAP_US, Patience
from sandbox.types import Collect, Command, Destination, Ending, Outcome, Watch

COMMAND = Command(argv=("/bin/true",))
PIPED = Command(argv=("/bin/true",), destination=Destination.PIPE)
NOTHING = Watch()
STOPPED, LATE, HOST = Watch(stopped_us=1), Watch(late_us=GAP_US, gap_us=GAP_US), Watch(host_gap_us=GAP_US)
ORDINARY = Watch(late_us=900_000, longest_late_us=90_000)  # of a full machine


def over(watch: Watch = NOTHING) -> Outcome:
    return Outcome(ending=Ending.WALL_LIMIT, watch=watch)


def ended(watch: Watch = NOTHING) -> Outcome:
    return Outcome(ending=Ending.EXITED, exit_code=1, watch=watch)


def test_only_a_wall_limit_is_ever_in_doubt() -> None:
    for watch in (STOPPED, LATE, HOST):
        for ending in set(Ending) - {Ending.WALL_LIMIT}:
            assert doubt_about(Outcome(ending=ending, watch=watch), PIPED) is Doubt.NONE
        assert doubt_about_pair(ended(watch), ended(watch)) is Doubt.NONE


def test_a_run_under_its_own_watch_is_in_doubt_when_it_was_stopped() -> None:
    assert doubt_about(over(STOPPED), COMMAND) is Doubt.UNTIL_REPEATED
    assert [doubt_about(over(watch), COMMAND) for watch in (ORDINARY, LATE, HOST)] == [Doubt.NONE] * 3


def test_a_run_that_may_have_waited_for_us_is_in_doubt_when_we_stood_still() -> None:
    assert doubt_about(over(HOST), PIPED) is Doubt.OURS
    assert doubt_about(over(ORDINARY), PIPED) is Doubt.NONE


@pytest.mark.parametrize("watch", [LATE, HOST])
def test_of_two_that_talk_either_ones_gap_is_the_others(watch: Watch) -> None:
    assert doubt_about_pair(over(), ended(watch)) is Doubt.OURS
    assert doubt_about_pair(ended(watch), over()) is Doubt.OURS
    assert doubt_about_pair(over(ORDINARY), ended(STOPPED)) is Doubt.UNTIL_REPEATED
    assert doubt_about_pair(over(ORDINARY), over(ORDINARY)) is Doubt.NONE


@pytest.mark.parametrize(
    ("doubts", "runs"),
    [
        ((Doubt.NONE,), 1),
        ((Doubt.OURS, Doubt.NONE), 2),
        ((Doubt.OURS, Doubt.OURS, Doubt.NONE), 3),
        ((Doubt.UNTIL_REPEATED, Doubt.UNTIL_REPEATED), 2),  # it stops itself
        ((Doubt.UNTIL_REPEATED, Doubt.OURS, Doubt.UNTIL_REPEATED), 3),
    ],
)
def test_a_result_that_stands_ends_the_runs(doubts: tuple[Doubt, ...], runs: int) -> None:
    left = iter(doubts)
    cleared: list[int] = []
    assert repeated(lambda: next(left), lambda doubt: doubt, lambda: cleared.append(1)) is doubts[-1]
    assert next(left, None) is None
    assert len(cleared) == runs - 1


def test_what_is_ours_each_time_is_a_failure_of_ours() -> None:
    runs: list[int] = []
    with pytest.raises(DisturbedError, match="in each of 3 runs"):
        repeated(lambda: runs.append(1), lambda _: Doubt.OURS)
    assert len(runs) == MOST_RUNS


def test_room_is_made_for_the_next_run_and_for_none_that_goes_on(tmp_path: Path) -> None:
    files = [tmp_path / name for name in ("out", "err", "kept")]
    for file in files:
        file.touch()
    wanted = Collect(name="kept", target=files[2], max_bytes=1)
    command = Command(argv=("/bin/true",), stdout=files[0], stderr=files[1], collect=(wanted,))
    make_room(command)
    assert list(tmp_path.iterdir()) == []
    with pytest.raises(DisturbedError):
        make_room(Command(argv=("/bin/true",), goes_on=True))


class Clock:
    """A clock that the test turns."""

    def __init__(self) -> None:
        self.now_s = 1_000.0

    def __call__(self) -> float:
        return self.now_s


def waited(clock: Clock, patience: Patience, late_s: float = 0.0) -> float:
    planned = patience.slice(1.0)
    clock.now_s += planned + late_s
    return planned


def test_patience_counts_the_slices_that_were_planned_however_long_they_took() -> None:
    clock = Clock()
    patience = Patience(2.5, clock)
    assert [waited(clock, patience, late_s) for late_s in (0.0, 90.0, 0.0)] == [1.0, 1.0, 0.5]
    assert patience.slice(1.0) == 0.0
    assert patience.gap_us == 90_000_000


def test_the_lateness_of_a_full_machine_is_no_gap() -> None:
    clock = Clock()
    patience = Patience(60, clock)
    for _ in range(20):
        waited(clock, patience, 0.2)
    patience.back()
    assert patience.gap_us == 0


def test_a_gap_is_seen_also_before_the_first_slice_after_the_last_and_between_two_waits() -> None:
    clock = Clock()
    patience = Patience(1, clock)
    clock.now_s += 10
    waited(clock, patience)
    patience.back()
    assert patience.gap_us == 10_000_000
    clock.now_s += 5
    patience.renew(1)
    waited(clock, patience, 3)
    patience.back()
    assert patience.gap_us == 18_000_000
    assert not Patience(0, clock).slice()
    assert not Patience(-1, clock).slice()


def test_watches_that_belong_together_are_added() -> None:
    both = Watch(late_us=5, longest_late_us=3, gap_us=2) + Watch(late_us=7, longest_late_us=7, stopped_us=4)
    assert both == Watch(late_us=12, longest_late_us=7, gap_us=2, stopped_us=4)
    assert both.is_disturbed
    assert not ORDINARY.is_disturbed


def test_people_are_told_what_else_had_a_part_and_scripts_everything() -> None:
    assert [line for line in lines(over(ORDINARY)) if line.startswith("disturbed")] == []
    told = [line for line in lines(over(LATE + STOPPED)) if line.startswith("disturbed")]
    assert told == [
        "disturbed  0.250 s not counted, because its watcher stood still",
        "disturbed  0.000 s in which the program was stopped",
    ]
    assert as_json(over(ORDINARY))["watch"]["longest_late_us"] == 90_000
