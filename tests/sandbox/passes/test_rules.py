"""When a round begins, and what it may take of the host's time."""

import math

import pytest

from sandbox.passes.rules import (
    ADMIT_S,
    DRAIN_SHARE,
    END_S,
    FULL_SHARE,
    GATHER_S,
    LATE_PASS_END_S,
    LEAST_PASS_S,
    LONG_PASS_S,
    LONGEST_DRAIN_S,
    LONGEST_GATHER_S,
    PASS_S,
    PATIENCE_S,
    SPARSE_SHARE,
    Rules,
)

NOW = 1_000.0


def test_no_round_is_due_without_a_pass() -> None:
    assert Rules(4).due_at(0, NOW) == math.inf


def test_a_round_is_due_once_there_is_a_pass_for_each_core_or_the_first_has_waited() -> None:
    rules = Rules(4)
    assert rules.due_at(3, NOW) == NOW + GATHER_S
    assert rules.due_at(4, NOW) == NOW


@pytest.mark.parametrize(("waiting", "share"), [(4, FULL_SHARE), (1, SPARSE_SHARE)])
def test_rounds_that_hold_graded_runs_up_have_their_share_of_the_time(waiting: int, share: float) -> None:
    rules = Rules(4)
    rules.ended(NOW, 0.2, 0.05)
    rest_s = rules.due_at(waiting, NOW - 1) - NOW
    assert 0.2 / (0.2 + rest_s) == pytest.approx(share)


def test_a_round_that_held_nobody_up_needs_no_rest() -> None:
    rules = Rules(4)
    rules.ended(NOW, 0.0, 0.0)
    assert rules.due_at(4, NOW - 1) <= NOW


def test_a_pass_does_not_wait_for_others_for_ever() -> None:
    rules = Rules(4)
    rules.ended(NOW, 10.0, 0.0)
    assert rules.due_at(1, NOW) == NOW + 10 * (1 / FULL_SHARE - 1)
    rules.ended(NOW, 1.0, 0.0)
    assert rules.due_at(1, NOW) == NOW + LONGEST_GATHER_S


def test_drains_that_are_given_up_last_longer_each_time_and_have_their_share() -> None:
    rules = Rules(4)
    drains, now = [], NOW
    while now < NOW + PATIENCE_S / 2:
        drains.append(rules.drain_s(now, NOW))
        rules.gave_up(now + drains[-1], drains[-1])
        again = rules.due_at(4, NOW)
        assert drains[-1] / (again - now) == pytest.approx(DRAIN_SHARE)
        now = again
    assert drains == sorted(drains)
    assert drains[-1] == LONGEST_DRAIN_S
    assert rules.drain_s(NOW + PATIENCE_S + 1, NOW) > LONGEST_DRAIN_S  # the longest run ends within one of these


def test_a_drain_has_patience_for_what_the_last_one_took() -> None:
    rules = Rules(4)
    first = rules.drain_s(NOW, NOW)
    rules.ended(NOW, 1.0, 0.4)
    assert rules.drain_s(NOW, NOW) > 0.4 > first
    rules.ended(NOW, 1.0, 0.0)  # there was nothing to wait for
    assert rules.drain_s(NOW, NOW) > 0.4
    rules.ended(NOW, 1.0, 0.001)
    assert rules.drain_s(NOW, NOW) == first


def test_a_pass_is_cut_and_over_soon_after_while_graded_runs_wait() -> None:
    rules = Rules(4)
    assert rules.cut_at(NOW, NOW + PASS_S / 2) == NOW + PASS_S
    assert rules.cut_at(NOW, NOW - PASS_S / 2) == NOW + PASS_S / 2  # who waited for the drain waits no longer for it
    assert rules.cut_at(NOW, NOW - 1) == NOW + LEAST_PASS_S
    assert rules.cut_at(NOW, NOW + 2 * PASS_S) == NOW + 2 * PASS_S  # as soon as one waits
    assert rules.cut_at(NOW, math.inf) == math.inf
    assert rules.over_at(NOW, NOW) == NOW + PASS_S + END_S
    assert rules.over_at(NOW, NOW - LONGEST_DRAIN_S) == pytest.approx(NOW - LONGEST_DRAIN_S + PASS_S + END_S)
    assert LONG_PASS_S < rules.over_at(NOW, math.inf) - NOW == LATE_PASS_END_S


def test_a_round_admits_passes_for_a_moment_while_graded_runs_wait() -> None:
    rules = Rules(4)
    assert rules.admits(NOW + ADMIT_S / 2, NOW, is_waited_for=True)
    assert not rules.admits(NOW + 2 * ADMIT_S, NOW, is_waited_for=True)
    assert rules.admits(NOW + 60, NOW, is_waited_for=False)
