"""Experiments for pages: those that this reader may see, the sources of their variants, the run to show."""

import shlex
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import reduce
from operator import or_

from django.contrib.auth.base_user import AbstractBaseUser
from django.contrib.auth.models import AnonymousUser
from django.db.models import Q
from django.utils.safestring import SafeString

from judge.grading.experiment.library import ready_experiments
from judge.grading.experiment.spec import ExperimentSpec, PublishedRow, Variant
from judge.models import Experiment, ExperimentRun, Status
from web import access
from web.presentation.compare.line_diff import difference
from web.presentation.experiments.texts import in_words, instead
from web.presentation.paging import Page, Paging, id_key
from web.presentation.sources import our_tokens, source_lines
from web.presentation.visible import with_code

Reader = AbstractBaseUser | AnonymousUser
_OWN = "own-"
_LAST_RUNS = 10
PAGING = Paging(size=20)  # of what people made


@dataclass(frozen=True, kw_only=True, slots=True)
class ExperimentShown:
    """An experiment with the key of its address. `own` is its row unless it is a ready one."""

    key: str
    spec: ExperimentSpec
    own: Experiment | None = None

    @property
    def number(self) -> str:
        """The short name of an experiment that ships with Tally: "E1"."""
        return "" if self.own else self.key.partition("-")[0].upper()

    @property
    def question(self) -> SafeString:
        return with_code(in_words(self.spec.question))

    @property
    def mechanism(self) -> SafeString:
        return with_code(in_words(self.spec.mechanism))

    @property
    def instead(self) -> str:
        """Why its text is not in the reader's language; "" if it is."""
        return instead(self.key, self.spec)

    def is_changeable_by(self, user: Reader) -> bool:
        """Return whether this person may edit, publish and delete it."""
        return self.own is not None and access.manageable_experiments(user).filter(pk=self.own.pk).exists()


@dataclass(frozen=True, kw_only=True, slots=True)
class Line:
    """One line of a variant; `differs`: the variant beside which it stands does not have it, see `_beside`."""

    html: SafeString
    differs: bool


@dataclass(frozen=True, kw_only=True, slots=True)
class VariantShown:
    """One variant with its source as safe lines. `twin`: an earlier one of the same source, which has the lines."""

    variant: Variant
    note: SafeString
    lines: list[Line]
    twin: str
    is_changed: bool  # against the experiment that it comes from

    @property
    def args(self) -> str:
        """Its arguments as a shell would be given them."""
        return shlex.join(self.variant.args)


@dataclass(frozen=True, kw_only=True, slots=True)
class PublishedShown:
    """Figures of others: the columns, and the row of each variant."""

    columns: tuple[str, ...]
    rows: tuple[tuple[str, tuple[str, ...]], ...]


@dataclass(frozen=True, kw_only=True, slots=True)
class Beside:
    """Figures of others, and what was measured here: by variant its name, theirs and ours."""

    columns: tuple[str, ...]
    here: str
    here_columns: tuple[str, ...]
    rows: tuple[tuple[str, tuple[str, ...], tuple[str, ...]], ...]


def ready() -> list[ExperimentShown]:
    """Return the experiments that ship with Tally, in order."""
    return [ExperimentShown(key=key, spec=spec) for key, spec in ready_experiments().items()]


def own_experiments(user: Reader, query: Mapping[str, object]) -> Page[Experiment]:
    """Return the requested page of people's experiments that this reader may see, newest first."""
    return PAGING.page(access.visible_experiments(user).select_related("owner"), query)


def find_experiment(key: str, user: Reader) -> ExperimentShown | None:
    """Return the experiment with this key, if this reader may see it."""
    spec = ready_experiments().get(key)
    if spec:
        return ExperimentShown(key=key, spec=spec)
    number = id_key(key.removeprefix(_OWN)) if key.startswith(_OWN) else None
    row = access.visible_experiments(user).select_related("owner").filter(pk=number).first() if number else None
    return shown_own(row) if row and row.key == key else None


def shown_own(row: Experiment) -> ExperimentShown:
    """Return somebody's own experiment for the page."""
    return ExperimentShown(key=row.key, spec=row.spec, own=row)


def variants_shown(variants: Sequence[Variant], original: Iterable[Variant] = ()) -> list[VariantShown]:
    """Return the variants with their sources; those not among `original`, if given, are marked as changed."""
    by_name = {variant.name: variant for variant in original}
    rows: list[VariantShown] = []
    for place, variant in enumerate(variants):
        twin = next((earlier.name for earlier in variants[:place] if earlier.source == variant.source), "")
        rows.append(
            VariantShown(
                variant=variant,
                note=with_code(in_words(variant.note)),
                lines=[] if twin else _lines(variant, _beside(variants, place)),
                twin=twin,
                is_changed=bool(by_name) and by_name.get(variant.name) != variant,
            )
        )
    return rows


def _beside(variants: Sequence[Variant], place: int) -> Variant | None:
    """Return the first variant in the same language; of that one the next. None without another."""
    same = [variant for variant in variants if variant.language == variants[place].language]
    others = [variant for variant in same if variant is not variants[place]]
    if same[0] is not variants[place]:
        return same[0]
    return next((variant for variant in others if variant.source != same[0].source), None)


def _lines(variant: Variant, other: Variant | None) -> list[Line]:
    differing = set()
    if other is not None:
        blocks = difference(other.source, variant.source) or []
        differing = {line.number for block in blocks if block.kind == "changed" for line in block.right}
    html = source_lines(variant.source, our_tokens(variant.language, variant.source))
    return [Line(html=line, differs=number in differing) for number, line in enumerate(html, 1)]


def published_shown(rows: Sequence[PublishedRow]) -> PublishedShown | None:
    """Return the published figures as a table; None without any."""
    columns = tuple(dict.fromkeys(column for row in rows for column in row.figures))
    if not columns:
        return None
    lines = tuple((row.variant, tuple(in_words(row.figures.get(column, "")) for column in columns)) for row in rows)
    return PublishedShown(columns=tuple(map(in_words, columns)), rows=lines)


def best_runs(experiments: Sequence[ExperimentShown], user: Reader) -> dict[str, ExperimentRun]:
    """Return by key the last whole run of exactly each experiment that is shared, or the reader's own."""
    mine = Q(user=user.pk) if user.pk is not None else Q(pk__in=[])
    of_these = reduce(or_, (Q(key=experiment.key, spec=experiment.spec) for experiment in experiments), Q(pk__in=[]))
    runs = access.readable_runs(user).filter(of_these, Q(is_shared=True) | mine, status=Status.DONE, problem="")
    last = runs.order_by("key", "-pk").distinct("key").values("pk")  # what was run and measured is not sorted
    return {run.key: run for run in ExperimentRun.objects.filter(pk__in=last)}


def last_runs(user: Reader, key: str = "") -> list[ExperimentRun]:
    """Return the user's last runs, of one experiment or of all, for a list."""
    if user.pk is None:
        return []
    runs = ExperimentRun.objects.for_list().filter(user=user.pk).order_by("-pk")
    return list((runs.filter(key=key) if key else runs)[:_LAST_RUNS])
