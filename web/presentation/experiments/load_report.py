"""The content of a load experiment's page: pictures of grouped bars, tables, and the text around them."""

from dataclasses import dataclass

from web.presentation.charts import Segment, Tick
from web.presentation.experiments.listing import Beside
from web.presentation.experiments.pictures import Bar


@dataclass(frozen=True, kw_only=True, slots=True)
class Group:
    """Bars that belong together, with their common name."""

    name: str
    bars: tuple[Bar, ...]
    note: str = ""


@dataclass(frozen=True, kw_only=True, slots=True)
class LoadPicture:
    """Groups on one scale. `legend`: the kinds of bars in words."""

    title: str
    groups: tuple[Group, ...]
    ticks: list[Tick]
    legend: tuple[tuple[str, str], ...]
    note: str = ""


@dataclass(frozen=True, kw_only=True, slots=True)
class LoadReport:
    """One load experiment. `address`: the name of its page; `card_bars` are by `card_metric`, on its card."""

    number: str
    address: str
    title: str
    question: str
    sentence: str  # what came of it
    card_metric: str
    card_bars: tuple[Bar, ...]
    pictures: tuple[LoadPicture, ...]
    beside: Beside
    published_source: str
    mechanism: str
    heading: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    machine: str


def load_bar(kind: str, name: str, width: float, words: str) -> Bar:
    """Return one figure as a bar of this width in per cent; without a width there is no bar."""
    segments = (Segment(kind=kind, x=0.0, width=width),) if width else ()
    return Bar(variant=name, destination="", words=words, spread="", segments=segments, whisker=None)
