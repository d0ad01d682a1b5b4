"""The numbers of one run, or of several together, as a reader may see them (`web.access.rounding`)."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from judge.grading.measures import BY_NAME, MEASURES, Kind, Measure, Place
from judge.grading.verdicts import Verdict
from judge.models import TestCaseResult
from web.access.rounding import Rounding, mean
from web.presentation.charts import RunTimes
from web.presentation.units import count, of_kind

_SUMMED = tuple(measure for measure in MEASURES if measure.mean_of is None)


@dataclass(frozen=True, kw_only=True, slots=True)
class Measures:
    """The numbers of one run by their names in `judge.grading.measures`, but for means."""

    numbers: Mapping[str, int]
    is_stopped: bool  # at a limit, so the numbers are lower bounds

    def __getitem__(self, name: str) -> int:
        """Return a number by its name; templates write `m.write_calls`."""
        return self.numbers[name]

    def words(self, measure: Measure, place: Place) -> str:
        """Return a number in words; in the table of all cases bytes are exact counts."""
        is_in_full = place is Place.CASES and measure.kind is Kind.BYTES
        return count(self.value(measure)) if is_in_full else of_kind(measure.kind, self.value(measure))

    def value(self, measure: Measure) -> float | None:
        """Return any number of the table; None for a mean of nothing, or for a number that is not shown."""
        return mean(*map(self.__getitem__, measure.mean_of)) if measure.mean_of else self[measure.name]

    @property
    def times(self) -> RunTimes:
        return RunTimes(
            user_us=self["user_time_us"], system_us=self["system_time_us"], waiting_us=self["waiting_time_us"]
        )

    @property
    def bytes_per_write(self) -> float | None:
        """Mean size of a write call; None when there was none, or it is not told."""
        return self.value(BY_NAME["bytes_per_write"])


def measures_of(result: TestCaseResult, rounding: Rounding) -> Measures:
    """Return the numbers of one test case."""
    return total_of([result], rounding)


def total_of(results: Sequence[TestCaseResult], rounding: Rounding) -> Measures:
    """Return the sums over one or more cases, and the largest peak memory."""
    of_them = rounding if len(results) == 1 else rounding.of_sums()
    numbers = {}
    for measure in _SUMMED:
        values = [getattr(result, measure.name) for result in results]
        together = max(values) if measure.kind is Kind.MEMORY else sum(values)
        numbers[measure.name] = of_them.measured(measure, together)
    return Measures(numbers=numbers, is_stopped=any(Verdict(result.verdict).record.is_stopped for result in results))
