"""Numbers become words for pages; the words themselves are of `judge.grading.words`."""

from datetime import UTC, datetime, timedelta

import pytest

from problems import translation
from web.presentation import units


def test_a_number_and_its_unit_stay_on_one_line() -> None:
    said = [units.duration(12_440_000), units.data_size(640), units.limit(1_500), units.percent(0.839)]
    assert said == ["12.4\u00a0s", "640\u00a0bytes", "1.5\u00a0s", "83\u00a0%"]


def test_what_is_not_known_is_a_dash() -> None:
    for worded in (units.duration, units.data_size, units.count, units.points, units.percent):
        assert worded(None) == "\u2013"


@pytest.mark.parametrize(
    ("larger", "smaller", "words"), [(4.7, 1, "4.7\u00d7"), (38, 1, "38\u00d7"), (3_000_001, 640, "4,700\u00d7")]
)
def test_a_factor_has_two_digits(larger: float, smaller: float, words: str) -> None:
    assert units.factor(larger, smaller) == words


def test_a_share_and_a_factor_are_written_as_the_readers_language_does(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(translation, "_gettext", {"{number} %": "{number}%"}.__getitem__)
    monkeypatch.setattr(units, "_", {"%(number)s\u00d7": "%(number)s배"}.__getitem__)
    assert (units.percent(0.839), units.factor(38, 1)) == ("83%", "38배")


def test_a_label_of_hangul_has_no_capital_at_its_head() -> None:
    assert [translation.capitalised(label) for label in ("write calls", "write 호출")] == ["Write calls", "write 호출"]


def test_how_long_ago_is_said_in_one_unit() -> None:
    now = datetime(2026, 5, 4, 12, 0, tzinfo=UTC)
    assert units.ago(now - timedelta(seconds=20), now) == "just now"
    assert units.ago(now - timedelta(minutes=66), now).replace("\u00a0", " ") == "1 hour ago"


def test_the_page_of_what_happened_has_the_moment_too() -> None:
    moment = datetime.now(UTC) - timedelta(minutes=66)
    said = units.time_in_full(moment).replace("\u00a0", " ")
    assert said.endswith(f">1 hour ago ({moment:%Y-%m-%d %H:%M} UTC)</time>")
