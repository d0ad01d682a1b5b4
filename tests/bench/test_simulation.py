"""The simulated host keeps the rules that the keeper keeps."""

from dataclasses import replace

from bench.simulation import Host, Load, played
from sandbox.passes.rules import LONGEST_DRAIN_S, PASS_S

LOAD = Load(slots=8, cases=20, case_s=0.05, open_s=0.01, round_s=0.002)


def test_a_host_without_passes_does_what_its_slots_can() -> None:
    host = Host(LOAD, is_profiled=False)
    host.play(100.0)
    ideal = LOAD.slots * 100 / (LOAD.open_s + LOAD.cases * LOAD.case_s)
    assert 0.98 < host.submissions / ideal <= 1.01


def test_each_submission_gets_its_pass_and_passes_go_together() -> None:
    came = played(LOAD, 100.0)
    assert came.passes > 0.95 * (came.passes + came.passes_left)
    assert came.rounds < came.passes / 2
    assert 0 < came.share_pct < 100


def test_a_host_of_one_slot_pays_for_the_passes_themselves_at_least() -> None:
    came = played(replace(LOAD, slots=1), 100.0)
    assert came.share_pct < 100 * LOAD.cases / (LOAD.cases + 1) + 1


def test_a_long_run_among_short_ones_has_drains_given_up_but_passes_do_not_starve() -> None:
    short, beside = played(LOAD, 200.0), played(replace(LOAD, long_s=10 * LONGEST_DRAIN_S + PASS_S), 200.0)
    assert beside.given_up > short.given_up
    assert beside.passes > 0
    assert beside.share_pct > short.share_pct / 2
