"""The source on a page, with what is shown beside its lines."""

from dataclasses import dataclass
from functools import cached_property

from django.utils.safestring import SafeString

from judge.models import CustomRun, Submission
from web.presentation.counted_work import CountedLineView, CountedWorkView
from web.presentation.proof.lines import LineCostsView, LineCostView, LineTimesView, LineTimeView
from web.presentation.result.cases import Cases
from web.presentation.result.head import Head
from web.presentation.sources import MAX_LINES, name_of, source_lines


@dataclass(frozen=True, kw_only=True, slots=True)
class NumberedLine:
    """A line of the source. `cost`, `time` and `count`, each of one case, stand beside it."""

    number: int
    html: SafeString
    is_marked: bool
    cost: LineCostView | None
    time: LineTimeView | None
    count: CountedLineView | None


@dataclass(frozen=True, kw_only=True)
class Source:
    """The source of a submission, with what its page says of single lines; of a custom run just its lines."""

    sent: Submission | CustomRun
    head: Head | None = None
    cases: Cases | None = None

    @property
    def file_name(self) -> str:
        return name_of(self.sent)

    @cached_property
    def lines(self) -> list[SafeString]:
        """Its first lines."""
        return source_lines(self.sent.source_text, self.sent.tokens)

    @cached_property
    def numbered(self) -> list[NumberedLine]:
        """The same with their numbers, and with what is shown beside them."""
        marked = self.marked_lines
        costs = {cost.line: cost for cost in self.costs.lines} if self.costs else {}
        times = {time.line: time for time in self.times.lines} if self.times else {}
        counts = {line.line: line for line in self.counts.lines} if self.counts else {}
        return [
            NumberedLine(
                number=number,
                html=html,
                is_marked=number in marked,
                cost=costs.get(number),
                time=times.get(number),
                count=counts.get(number),
            )
            for number, html in enumerate(self.lines, 1)
        ]

    @property
    def lines_left_out(self) -> int:
        """The number of further lines; 0 or less where all are there."""
        return self.sent.source_text.count("\n") + 1 - MAX_LINES

    @property
    def marked_lines(self) -> frozenset[int]:
        """The lines that the head speaks of."""
        return self.head.marked_lines if self.head else frozenset()

    @cached_property
    def costs(self) -> LineCostsView | None:
        """The line costs of the case with the most writes."""
        views = [case.line_costs for case in self.cases.measured if case.line_costs] if self.cases else []
        return max(views, key=lambda view: view.total, default=None)

    @cached_property
    def times(self) -> LineTimesView | None:
        """The line times of the case with the most CPU time."""
        views = [case.line_times for case in self.cases.measured if case.line_times] if self.cases else []
        return max(views, key=lambda view: view.cpu_us, default=None)

    @cached_property
    def counts(self) -> CountedWorkView | None:
        """The counts of the case on which some line runs most often."""
        views = [case.counted_work for case in self.cases.measured if case.counted_work] if self.cases else []
        return max(views, key=lambda view: max((line.times or 0 for line in view.lines), default=0), default=None)

    @property
    def has_news(self) -> bool:
        """Whether a verdict changes how it looks: by its colours, which were read while it was judged, or its lines."""
        is_coloured = self.sent.is_done and self.sent.tokens
        return bool(self.costs or self.times or self.counts or self.marked_lines or is_coloured)
