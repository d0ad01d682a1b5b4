"""The benchmark of a deadline: its arithmetic, and once the whole of it, small, against the real site."""

import pytest

from bench import deadline
from bench.deadline import Row, Size, bars, measure, order_of, shown_of, statements
from bench.load.site import open_site


def _row(number: int, *, user: int = 1, started_s: float, created_s: float = 0.0) -> Row:
    return Row(id=number, user=user, verdict="AC", created_s=created_s, started_s=started_s, finished_s=started_s + 1)


def test_an_order_is_fair_when_everybody_has_a_verdict_before_anybody_has_three() -> None:
    rows = [_row(number, started_s=started_s) for number, started_s in enumerate((1.0, 3.0, 5.0))]
    assert order_of([*rows, _row(9, user=2, started_s=4.0)])["is_fair"]
    assert not order_of([*rows, _row(9, user=2, started_s=5.5)])["is_fair"]


def test_what_is_shown_is_compared_with_what_came() -> None:
    rows = [_row(number, started_s=10.0 * number) for number in (1, 2, 3, 4)]
    captions = [
        (4, 5.0, "Number 4 in the queue. Expected to begin in about 60 seconds."),
        (4, 15.0, "Number 1,000 in the queue. Expected to begin in about 2 minutes."),
        (3, 26.0, "Number 1 in the queue. Expected to begin in a few seconds."),
        (3, 27.0, "Number 1 in the queue. The wait is not known: too few submissions have been judged so far."),
        (1, 11.0, "Number 1 in the queue. Expected to begin in a few seconds."),
    ]
    shown, unknown = shown_of(captions, rows)
    assert [(each.place, each.came_place, each.wait_s, each.came_s) for each in shown] == [
        (4, 4, 60, 35),
        (1_000, 3, 120, 25),
        (1, 1, 4, 4),
    ]
    assert unknown == 1
    assert [round(each.wait_error, 2) for each in shown] == [0.57, 3.6, 0.0]
    assert statements(shown)["places_within_pct"] == pytest.approx(66.7)


@pytest.mark.thorough
def test_a_small_deadline_loses_nothing_and_is_fair(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(deadline, "_IDLE_S", 2.0)
    size = Size(people=10, submissions=50, seconds=4)
    with open_site(TALLY_MAX_IN_FLIGHT_PER_USER="5") as site:
        report = measure(site, size)
    met = bars(report)
    assert met["none_dropped"]
    assert met["order"]
    assert (report["errors"], report["not_accepted_programs"]) == (0, 0)
    assert report["statements"]["shown"] > 0
