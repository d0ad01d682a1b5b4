"""What became of an experiment's claims, in words: what was measured here, and what its author measured."""

from collections.abc import Mapping
from dataclasses import dataclass

from django.utils.safestring import SafeString
from django.utils.translation import gettext as _, gettext_noop

from judge.grading.experiment.results import Cell, ClaimTested, Outcome, Results
from judge.grading.measures import BY_NAME, Measure
from judge.grading.sameness import CONFIDENCE_PERCENT, Difference
from web.presentation.experiments.metrics import between_ends, median_of, median_words, times, was_stopped
from web.presentation.experiments.texts import destination_name, in_words
from web.presentation.visible import with_code

_TITLES = {
    Outcome.REPRODUCED: gettext_noop("Reproduced"),
    Outcome.REVERSED: gettext_noop("The other way round"),
    Outcome.NOISE: gettext_noop("Not told from noise"),
    Outcome.MISSING: gettext_noop("Not measured"),
}
_NO_RATIO = gettext_noop("%(more)s against %(less)s, %(measure)s of %(first)s against %(second)s.")
_RATIO: Mapping[bool, str] = {  # by whether the measure is counted; so are the next two
    True: gettext_noop("%(times)s as many: %(more)s against %(less)s, %(measure)s of %(first)s against %(second)s."),
    False: gettext_noop("%(times)s as much: %(more)s against %(less)s, %(measure)s of %(first)s against %(second)s."),
}
_AT_LEAST: Mapping[bool, str] = {
    True: gettext_noop(
        "At least %(times)s as many: %(more)s against %(less)s, %(measure)s of %(first)s against %(second)s."
    ),
    False: gettext_noop(
        "At least %(times)s as much: %(more)s against %(less)s, %(measure)s of %(first)s against %(second)s."
    ),
}
_AT_MOST: Mapping[bool, str] = {
    True: gettext_noop(
        "At most %(times)s as many: %(more)s against %(less)s, %(measure)s of %(first)s against %(second)s."
    ),
    False: gettext_noop(
        "At most %(times)s as much: %(more)s against %(less)s, %(measure)s of %(first)s against %(second)s."
    ),
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
    """The claims in their order."""
    cells = {(cell.variant, cell.destination): cell for cell in results.cells}
    return [
        ClaimShown(
            outcome=tested.outcome.name.lower(),
            title=_(_TITLES[tested.outcome]),
            claim=with_code(in_words(tested.claim.text)),
            measured=with_code(_measured(tested, cells)),
            published=with_code(in_words(tested.claim.published)),
        )
        for tested in results.claims
    ]


def _measured(tested: ClaimTested, cells: dict[tuple[str, str], Cell]) -> str:
    claim, gap = tested.claim, tested.difference
    more = cells.get((claim.more, claim.destination))
    less = cells.get((claim.less, claim.less_destination or claim.destination))
    if more is None or less is None:
        return _("This run has no measurement of it.")
    if tested.outcome is Outcome.MISSING or gap is None:
        return _("One of the two was stopped at a limit or crashed, so this run cannot tell.")
    measure, less_destination = BY_NAME[claim.metric], claim.less_destination or claim.destination
    first, second = f"`{claim.more}`", f"`{claim.less}`"
    if less_destination != claim.destination:
        words = _("`%(variant)s` to a %(destination)s")
        first = words % {"variant": claim.more, "destination": destination_name(claim.destination)}
        second = words % {"variant": claim.less, "destination": destination_name(less_destination)}
    values = {
        "more": _amount(more, measure, gap),
        "less": _amount(less, measure, gap),
        "measure": _(measure.label),
        "first": first,
        "second": second,
    }
    if tested.outcome is Outcome.NOISE:
        words = _(
            "No difference that can be told from noise: %(more)s against %(less)s, %(measure)s of %(first)s against "
            "%(second)s."
        )
        return words % values
    larger = more if gap.ratio is None or gap.ratio > 1 else less
    is_bound = was_stopped(larger.endings, larger.verdicts)
    words, ratio = _sentence(gap, measure, is_bound=is_bound)
    sureness = _("The one with more was stopped at a limit.") if is_bound else _sureness(gap)
    return " ".join(sentence for sentence in (_(words) % {**values, "times": times(ratio)}, sureness) if sentence)


def _amount(cell: Cell, measure: Measure, difference: Difference) -> str:
    """The median; of the side that has nothing of what the other has, that."""
    median = median_of(cell, measure)
    return median_words(cell, measure) if median or difference.ratio else _("none measured")


def _sentence(difference: Difference, measure: Measure, *, is_bound: bool) -> tuple[str, float]:
    """The sentence and its ratio; a bound where the side that has more was stopped: it may have any more of it."""
    is_counted = measure.kind.less == "fewer"
    if not difference.ratio:
        return _NO_RATIO, 0  # one side has nothing of it
    if not is_bound:
        return _RATIO[is_counted], difference.ratio
    if difference.ratio > 1:
        return _AT_LEAST[is_counted], difference.low or difference.ratio
    return _AT_MOST[is_counted], difference.high or difference.ratio


def _sureness(difference: Difference) -> str:
    if difference.is_exact:
        return _("These counts are exact: every run had the same.")
    if difference.low is None or difference.high is None:
        return ""
    low, high = times(difference.low), times(difference.high)
    ratio = low if low == high else between_ends(low, high)
    words = _("With at least %(confidence)s %% confidence it is %(ratio)s.")
    return words % {"confidence": CONFIDENCE_PERCENT, "ratio": ratio}
