"""Outcomes of an experiment's claims in words: what was measured here, and what its author measured."""

from dataclasses import dataclass

from django.utils.safestring import SafeString

from judge.grading.experiment.results import Cell, ClaimTested, Difference, Outcome, Results
from judge.grading.measures import BY_NAME, Measure
from web.presentation.experiments.metrics import median_of, median_words, times, was_stopped
from web.presentation.visible import with_code

_TITLES = {
    Outcome.REPRODUCED: "Reproduced",
    Outcome.REVERSED: "The other way round",
    Outcome.NOISE: "Not told from noise",
    Outcome.MISSING: "Not measured",
}


@dataclass(frozen=True, kw_only=True, slots=True)
class ClaimShown:
    """A claim with its outcome: one word for the colours, a title and sentences."""

    outcome: str
    title: str
    claim: SafeString
    measured: SafeString
    published: SafeString


def claims_shown(results: Results) -> list[ClaimShown]:
    """Return the claims in order."""
    cells = {(cell.variant, cell.destination): cell for cell in results.cells}
    return [_shown(tested, cells) for tested in results.claims]


def _shown(tested: ClaimTested, cells: dict[tuple[str, str], Cell]) -> ClaimShown:
    return ClaimShown(
        outcome=tested.outcome.name.lower(),
        title=_TITLES[tested.outcome],
        claim=with_code(tested.claim.text),
        measured=with_code(_measured(tested, cells)),
        published=with_code(tested.claim.published),
    )


def _measured(tested: ClaimTested, cells: dict[tuple[str, str], Cell]) -> str:
    claim, found = tested.claim, tested.difference
    more = cells.get((claim.more, claim.destination))
    less = cells.get((claim.less, claim.less_destination or claim.destination))
    if more is None or less is None:
        return "This run has no measurement of it."
    if tested.outcome is Outcome.MISSING or found is None:
        return "One of the two was stopped at a limit or crashed, so this run cannot tell."
    measure = BY_NAME[claim.metric]
    both = " against ".join(_amount(cell, measure, found) for cell in (more, less))
    of_what = f"{measure.label} of {_named(tested, 'more')} against {_named(tested, 'less')}"
    if tested.outcome is Outcome.NOISE:
        return f"No difference that can be told from noise: {both}, {of_what}."
    larger = more if found.ratio is None or found.ratio > 1 else less
    if was_stopped(larger.endings, larger.verdicts):
        return f"{_bound(found, measure)}{both}, {of_what}. The one with more was stopped at a limit."
    return f"{_ratio(found, measure)}{both}, {of_what}.{_sureness(found)}"


def _amount(cell: Cell, measure: Measure, found: Difference) -> str:
    """Return the median; of the side that has nothing of what the other has, that."""
    median = median_of(cell, measure)
    return median_words(cell, measure) if median or found.ratio else "none measured"


def _named(tested: ClaimTested, side: str) -> str:
    """Return a variant by its name, and where the two sides differ in that, by its destination."""
    claim = tested.claim
    other = claim.less_destination or claim.destination
    where = claim.destination if side == "more" else other
    name = claim.more if side == "more" else claim.less
    return f"`{name}`" + (f" to a {where}" if other != claim.destination else "")


def _ratio(found: Difference, measure: Measure) -> str:
    if not found.ratio:
        return ""  # one side has nothing of it
    return f"{times(found.ratio)} as {_much(measure)}: "


def _bound(found: Difference, measure: Measure) -> str:
    """Return the ratio where the side that has more was stopped: it may have any more of it."""
    if not found.ratio:
        return ""
    if found.ratio > 1:
        return f"At least {times(found.low or found.ratio)} as {_much(measure)}: "
    return f"At most {times(found.high or found.ratio)} as {_much(measure)}: "


def _much(measure: Measure) -> str:
    return "many" if measure.kind.less == "fewer" else "much"


def _sureness(found: Difference) -> str:
    if found.is_exact:
        return " These counts are exact: every run had the same."
    if found.low is None or found.high is None:
        return ""
    low, high = times(found.low), times(found.high)
    return f" With at least 97 % confidence it is {low if low == high else f'{low} to {high}'}."
