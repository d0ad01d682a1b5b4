"""Decide whether a program reached its wall limit by itself; if that is in doubt, the run is repeated.

How it works: the init counts no time in which it was late itself (native/init/watch.c), so that a run alone under its
watch needs no second one after a stop of both. In doubt is what depended on others: a program was found stopped, and
may have done that itself; or it waited for its partner or for us, who empty its pipe, and they stood still meanwhile.

A program that is found stopped again does it itself. Lateness of ours is never its own: after the third time it is a
failure of ours.
"""

import logging
from collections.abc import Callable
from dataclasses import replace
from enum import Enum
from typing import TypeVar

from sandbox.errors import DisturbedError
from sandbox.types import Command, Destination, Ending, Outcome, Watch

MOST_RUNS = 3
_T = TypeVar("_T")
_logger = logging.getLogger(__name__)


class Doubt(Enum):
    """The degree of doubt about a result."""

    NONE = "none"
    UNTIL_REPEATED = "until repeated"  # if it is so again, it stands
    OURS = "ours"  # never stands


def doubt_about(outcome: Outcome, command: Command) -> Doubt:
    """Judge the end of a run at its wall limit; any other ending is beyond doubt."""
    if outcome.ending is not Ending.WALL_LIMIT:
        return Doubt.NONE
    if outcome.watch.host_gap_us and command.destination is not Destination.FILE:
        return Doubt.OURS
    return Doubt.UNTIL_REPEATED if outcome.watch.stopped_us else Doubt.NONE


def doubt_about_pair(first: Outcome, other: Outcome) -> Doubt:
    """Judge the end of a pair, whose programs waited for each other and both for us."""
    if Ending.WALL_LIMIT not in (first.ending, other.ending):
        return Doubt.NONE
    both = first.watch + other.watch
    if both.gap_us or both.host_gap_us:
        return Doubt.OURS
    return Doubt.UNTIL_REPEATED if both.stopped_us else Doubt.NONE


def repeated(
    attempt: Callable[[], _T], doubt_about_it: Callable[[_T], Doubt], make_room: Callable[[], None] = lambda: None
) -> _T:
    """Return the first undoubted result of at most MOST_RUNS runs; `make_room` precedes each run but the first. Raises
    DisturbedError without one.
    """
    doubts: list[Doubt] = []
    while True:
        result = attempt()
        doubt = doubt_about_it(result)
        if doubt is Doubt.NONE or (doubt is Doubt.UNTIL_REPEATED and doubt in doubts):
            return result
        doubts.append(doubt)
        if len(doubts) == MOST_RUNS:
            raise DisturbedError(f"the machine, or a part of it, stood still in each of {MOST_RUNS} runs")
        _logger.warning("a run was disturbed, so it is made again: that was number %s", len(doubts))
        make_room()


def noting_host_gap(outcome: Outcome, gap_us: int) -> Outcome:
    """Return the outcome with a note that this process stood still for that long during the run."""
    return replace(outcome, watch=outcome.watch + Watch(host_gap_us=gap_us)) if gap_us else outcome


def make_room(command: Command) -> None:
    """Remove the files that the run created. Raises DisturbedError when it cannot be repeated."""
    if command.goes_on:
        raise DisturbedError("a run was disturbed that went on in what an earlier one left")
    for path in (command.stdout, command.stderr, *(file.target for file in command.collect)):
        if path is not None:
            path.unlink(missing_ok=True)
