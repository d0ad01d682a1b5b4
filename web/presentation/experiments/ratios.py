"""Ratios of each variant to the first: what can be claimed, and how it reads."""

from collections.abc import Iterable

from web.presentation.experiments.metrics import NOT_TOLD, Reading, ratio_words
from web.presentation.experiments.sight import RunSight, has_bound, seen_difference
from web.presentation.repeated_change import Runs, has_crashed, is_stopped, repeated_change, values_of

_NOT_COMPARED = "not compared"
_NOTES = {
    NOT_TOLD: "Not told: no difference that can be told from noise.",
    _NOT_COMPARED: "Not compared: one of the two crashed.",
}


def ratio_reading(name: str, first: Runs, own: Runs, sight: RunSight) -> Reading:
    """Return a metric of this variant relative to the first: a ratio, or at most a bound if one was stopped."""
    if has_crashed(first) or has_crashed(own):
        return Reading(words=_NOT_COMPARED)
    values, firsts = values_of(own, name), values_of(first, name)
    was_stopped = is_stopped(first) or is_stopped(own)
    if was_stopped or has_bound(values) or has_bound(firsts):
        return Reading(words=repeated_change(name, first, own, sight).words, is_bound=was_stopped)
    return ratio_words(seen_difference(name, values, firsts, sight))


def ratio_notes(readings: Iterable[Reading]) -> list[str]:
    """Return sentences on the ratios shown."""
    shown = list(readings)
    notes = []
    if any(reading.is_range for reading in shown):
        notes.append("Beneath: the range that holds it with at least 97 % confidence.")
    if any(reading.is_bound for reading in shown):
        notes.append("Where one of the two was stopped at a limit, only a bound is known, or nothing can be told.")
    notes += [note for words, note in _NOTES.items() if any(reading.words == words for reading in shown)]
    return notes
