"""Every metric of several runs side by side: in words, as a bar, and as the change from the first run."""

from collections.abc import Sequence
from dataclasses import dataclass

from django.utils.translation import gettext as _

from judge.grading.measures import Kind, Measure, Place, measures_at
from web.access.rounding import Under
from web.presentation.charts import LogScale
from web.presentation.compare.change import Change, change
from web.presentation.measures import Measures
from web.presentation.units import of_kind

AT_LEAST = "\u2265\u00a0"
_LINEAR = frozenset({Kind.TIME, Kind.MEMORY})
_VISIBLE = 0.4  # per cent: what is there at all is drawn at least this wide


@dataclass(frozen=True, kw_only=True, slots=True)
class Reading:
    """One number of one side. `change`: from the first side, which has None; `width`: of its bar, per cent."""

    letter: str
    words: str
    change: Change | None
    width: float


@dataclass(frozen=True, kw_only=True, slots=True)
class Metric:
    """One number of every side. The bars of a metric share one scale, which begins at 0."""

    measure: Measure
    readings: list[Reading]

    @property
    def label(self) -> str:
        """Its name in the reader's language."""
        return _(self.measure.label)

    @property
    def is_logarithmic(self) -> bool:
        """Return whether its scale is a logarithmic one."""
        return self.measure.kind not in _LINEAR

    @property
    def is_pictured(self) -> bool:
        """Return whether it has a picture of its own."""
        return Place.COMPARISON_PICTURE in self.measure.places


def metrics(letters: Sequence[str], runs: Sequence[Measures]) -> list[Metric]:
    """Return every metric of the runs, which have these letters; changes are from the first run."""
    rows = []
    for measure in measures_at(Place.COMPARISON):
        values = [run.value(measure) for run in runs]
        bounds = [measure.mean_of is None and run.is_stopped for run in runs]  # of a stopped run a mean is no bound
        largest = max((value for value in values if value is not None), default=0)
        readings = [
            Reading(
                letter=letter,
                words=at_least(of_kind(measure.kind, value), value, is_bound=is_bound),
                change=None
                if place == 0
                else change(values[0], value, measure.kind, a_stopped=bounds[0], b_stopped=is_bound),
                width=_width(value, largest, measure.kind) if value else 0,
            )
            for place, (letter, value, is_bound) in enumerate(zip(letters, values, bounds, strict=True))
        ]
        rows.append(Metric(measure=measure, readings=readings))
    return rows


def _width(value: float, largest: float, kind: Kind) -> float:
    width = 100 * value / largest if kind in _LINEAR else LogScale(largest=largest).x(value)
    return max(_VISIBLE, round(width, 2))


def at_least(words: str, value: float | None, *, is_bound: bool) -> str:
    """Return a value in words; with a sign that it may be more if the run was stopped, and if any number is shown."""
    return AT_LEAST + words if is_bound and value is not None and not isinstance(value, Under) else words
