"""One run of an experiment for its page: progress, tables, pictures, ratios, outcomes of its claims."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from django.utils.safestring import SafeString
from django.utils.translation import gettext as _, gettext_noop, ngettext

from judge.grading.experiment.results import SURE_RUNS, Cell, Results, RunMeasured
from judge.grading.experiment.spec import METRICS, ExperimentSpec
from judge.grading.measures import BY_NAME, Measure, Place, measures_at
from judge.grading.sameness import CONFIDENCE_PERCENT
from judge.grading.verdicts import Verdict
from judge.models import ExperimentRun, Status, WorkerNode
from sandbox.types import Ending
from web.presentation.compare.metrics import AT_LEAST
from web.presentation.experiments.claims import ClaimShown, claims_shown
from web.presentation.experiments.listing import Beside, Reader, published_shown
from web.presentation.experiments.metrics import EXACT, NOT_COMPARED, NOT_TOLD, Reading, ratio_reading, reading
from web.presentation.experiments.pictures import Picture, Timelines, picture, timelines
from web.presentation.experiments.texts import destination_name
from web.presentation.experiments.visibility import RunVisibility, run_sights, seen_results, seen_runs
from web.presentation.units import count, per_cent
from web.presentation.visible import visible_text

_NOTES = {
    NOT_TOLD: gettext_noop("Not told: no difference that can be told from noise."),
    NOT_COMPARED: gettext_noop("Not compared: one of the two crashed."),
}


_ENDINGS = {
    Ending.SIGNALLED.value: gettext_noop("crashed"),
    Ending.MEMORY_LIMIT.value: gettext_noop("stopped at the memory limit"),
    Ending.CPU_LIMIT.value: gettext_noop("stopped at the CPU time limit"),
    Ending.WALL_LIMIT.value: gettext_noop("stopped after too much wall time"),
    Ending.OUTPUT_LIMIT.value: gettext_noop("stopped at the output limit"),
}
_HERE = ("wall_time_us", "cpu_time_us", "system_time_us", "write_calls")  # beside published figures


@dataclass(frozen=True, kw_only=True, slots=True)
class Row:
    """One cell as a row of the table. `trouble`: that not every run ended well, and how."""

    variant: str
    destination: str
    is_first_of_variant: bool
    trouble: str
    readings: tuple[Reading, ...]


@dataclass(frozen=True, kw_only=True, slots=True)
class Table:
    """Cells by the numbers that are told of them."""

    measures: tuple[Measure, ...]
    rows: tuple[Row, ...]

    @property
    def readings(self) -> list[Reading]:
        return [reading for row in self.rows for reading in row.readings]


@dataclass(frozen=True, kw_only=True, slots=True)
class Failed:
    """A variant that was not compiled, with the compiler's words."""

    variant: str
    message: SafeString


@dataclass(frozen=True, kw_only=True, slots=True)
class RunShown:
    """The results so far, as far as this reader may see them."""

    run: ExperimentRun
    spec: ExperimentSpec
    visibility: RunVisibility
    runs: list[RunMeasured]
    results: Results
    table: Table | None
    ratios: Table | None
    claims: list[ClaimShown]
    pictures: list[Picture]
    timelines: Timelines | None
    beside: Beside | None
    failed: list[Failed]
    standing: str

    @property
    def is_live(self) -> bool:
        return not self.run.is_done

    @property
    def ratio_notes(self) -> list[str]:
        """Sentences on how the ratios read."""
        readings = self.ratios.readings if self.ratios else []
        notes = []
        if any(reading.is_range for reading in readings):
            words = _("Beneath: the range that holds it with at least %(share)s confidence.")
            notes.append(words % {"share": per_cent(CONFIDENCE_PERCENT)})
        if any(reading.is_bound for reading in readings):
            words = _("Where one of the two was stopped at a limit, only a bound is known, or nothing can be told.")
            notes.append(words)
        cells = {reading.words for reading in readings}
        return notes + [_(note) for words, note in _NOTES.items() if _(words) in cells]

    @property
    def median_note(self) -> str:
        """The note above the medians, if any."""
        readings = self.table.readings if self.table else []
        notes = []
        runs = min((value.runs for cell in self.results.cells for value in cell.estimates.values()), default=0)
        is_sure = runs >= SURE_RUNS
        has_range = any(reading.is_range for reading in readings)
        has_exact = any(reading.spread == _(EXACT) for reading in readings)
        share = {"share": per_cent(95)}
        if has_range and has_exact and is_sure:
            words = _(
                "Beneath: where the median lies with at least %(share)s confidence, or that every run had exactly the "
                "same."
            )
            notes.append(words % share)
        elif has_range and has_exact:
            notes.append(_("Beneath: the least and the most of all runs, or that every run had exactly the same."))
        elif has_range and is_sure:
            notes.append(_("Beneath: where the median lies with at least %(share)s confidence.") % share)
        elif has_range:
            notes.append(_("Beneath: the least and the most of all runs."))
        elif has_exact:
            notes.append(_("Beneath: that every run had exactly the same."))
        if any(reading.is_bound for reading in readings):
            words = _("%(sign)s: stopped at a limit, so it is at least that.")
            notes.append(words % {"sign": AT_LEAST.strip()})
        return "".join(f" {note}" for note in notes)

    @property
    def done(self) -> int:
        return len(self.run.runs)

    @property
    def title(self) -> str:
        """Its state, in a word or two."""
        if self.run.is_done:
            return _("Not carried out") if self.run.problem else _("Measured")
        if self.run.status == Status.QUEUED:
            return _("Waiting in the queue")
        total = self.run.total_runs
        words = ngettext("%(done)s of %(total)s run measured", "%(done)s of %(total)s runs measured", total)
        return words % {"done": self.done, "total": count(total)}


def run_shown(run: ExperimentRun, user: Reader) -> RunShown:
    """Return the run for this reader."""
    spec = run.spec
    [visibility] = run_sights([spec], user)
    runs = seen_runs(run.runs, visibility)
    results = seen_results(spec, runs, visibility)
    cells = results.cells
    return RunShown(
        run=run,
        spec=spec,
        visibility=visibility,
        runs=runs,
        results=results,
        table=_table(cells, measures_at(Place.EXPERIMENT_TABLE), reading) if cells else None,
        ratios=_ratios(spec, cells, runs, visibility) if run.is_done else None,
        claims=claims_shown(results) if run.is_done and cells else [],
        pictures=[drawing for measure in measures_at(Place.EXPERIMENT_PICTURE) if (drawing := picture(measure, cells))],
        timelines=timelines(cells, visibility.rounding),
        beside=_beside(spec, cells) if run.is_done else None,
        failed=[
            Failed(variant=failed.variant, message=visible_text(failed.words.translated())) for failed in run.failed
        ],
        standing="" if run.is_done else _standing(run, runs, spec),
    )


def _table(cells: Sequence[Cell], measures: Sequence[Measure], read: Callable[[Cell, Measure], Reading]) -> Table:
    rows = []
    for place, cell in enumerate(cells):
        # describe the runs that did not end well
        verdicts = [_(Verdict(verdict).meaning).lower() for verdict in cell.verdicts if verdict not in ("", Verdict.AC)]
        endings = [_(_ENDINGS[ending]) for ending in cell.endings if ending in _ENDINGS]
        rows.append(
            Row(
                variant=cell.variant,
                destination=cell.destination,
                is_first_of_variant=not place or cells[place - 1].variant != cell.variant,
                trouble=", ".join(endings or verdicts),
                readings=tuple(read(cell, measure) for measure in measures),
            )
        )
    return Table(measures=tuple(measures), rows=tuple(rows))


def _ratios(
    spec: ExperimentSpec, cells: Sequence[Cell], runs: Sequence[RunMeasured], visibility: RunVisibility
) -> Table | None:
    """Return every variant against the first one to the same destination."""
    first = spec.variants[0].name
    with_first = {cell.destination for cell in cells if cell.variant == first}
    others = [cell for cell in cells if cell.variant != first and cell.destination in with_first]
    counted = set(METRICS).intersection(*(run.numbers for run in runs))
    measures = [measure for measure in measures_at(Place.EXPERIMENT_TABLE) if measure.name in counted]
    by_cell: dict[tuple[str, str], list[RunMeasured]] = {}
    for run in runs:
        by_cell.setdefault((run.variant, run.destination), []).append(run)

    def against(cell: Cell, measure: Measure) -> Reading:
        own, firsts = by_cell[cell.variant, cell.destination], by_cell[first, cell.destination]
        return ratio_reading(measure.name, firsts, own, visibility)

    return _table(others, measures, against) if others else None


def _beside(spec: ExperimentSpec, cells: Sequence[Cell]) -> Beside | None:
    published = published_shown(spec.published)
    if published is None:
        return None
    destination = spec.destinations[0]
    by_variant = {cell.variant: cell for cell in cells if cell.destination == destination}
    rows = []
    for variant, figures in published.rows:
        cell = by_variant.get(variant)
        rows.append((variant, figures, tuple(reading(cell, BY_NAME[name]).words if cell else "" for name in _HERE)))
    return Beside(
        columns=published.columns,
        here=_("Here, to a %(destination)s") % {"destination": destination_name(destination)},
        here_columns=tuple(BY_NAME[name].title for name in _HERE),
        rows=tuple(rows),
    )


def _standing(run: ExperimentRun, runs: Sequence[RunMeasured], spec: ExperimentSpec) -> str:
    """Return what an unfinished run waits for, or what it did last."""
    if not WorkerNode.objects.grading().exists():
        return _("No worker is running; the experiment is kept and will be run when one starts.")
    if run.status == Status.QUEUED:
        return _("It begins when a worker has nothing else to do. What students send in goes first.")
    if not runs:
        return _("Compiling the variants.")
    last = runs[-1]
    return _("Measured last: %(variant)s to a %(destination)s, in round %(round)s of %(rounds)s.") % {
        "variant": last.variant,
        "destination": destination_name(last.destination),
        "round": last.round + 1,
        "rounds": spec.rounds,
    }
