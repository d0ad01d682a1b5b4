"""The test cases of one submission as the result page shows them, without anything this reader may not see."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from django.utils.safestring import SafeString
from django.utils.translation import gettext as _

from judge.grading.measures import Place
from judge.grading.verdicts import Verdict
from judge.models import CaseRerun, RerunKind, Status, TestCaseResult
from judge.submissions.intake import is_known
from problems.models import ProblemVersion
from sandbox.types import STREAMS
from web.presentation.charts import CountBar, TimeBar, TimeScale, count_bars
from web.presentation.measures import Measures, Reading, measures_of
from web.presentation.result.buffered import BufferedView, buffered_view
from web.presentation.result.line_costs import LineCostsView, line_costs_view
from web.presentation.result.timeline import TimelineView, timeline_view
from web.presentation.rounded_text import rounded_text
from web.presentation.rounding import Rounding, mean
from web.presentation.visible import EXCERPT_BYTES, visible_bytes, visible_text


@dataclass(frozen=True, kw_only=True, slots=True)
class StreamView:
    """The use of one stream, by the profile pass."""

    name: str
    calls: int
    bytes: int

    @property
    def bytes_per_call(self) -> float | None:
        """Mean size of a call; None when there was none, or it is not told."""
        return mean(self.bytes, self.calls)


@dataclass(frozen=True, kw_only=True, slots=True)
class ProfileView:
    """The profile pass: calls by name, the most frequent first, and the use of the streams."""

    calls: list[CountBar]
    has_every_name: bool
    total: int
    streams: list[StreamView]
    stopped_after_ms: int  # 0: it was not stopped before the judged run would have been


@dataclass(frozen=True, kw_only=True, slots=True)
class Excerpt:
    """The beginning of something that a sample case read or wrote."""

    title: str
    html: SafeString
    is_cut: bool


@dataclass(frozen=True, kw_only=True, slots=True)
class Asked:
    """The state of a requested rerun of the case. `state`: "pending", "failed" or empty; `problem` says why.

    `may_be_hurried`: nobody asked for it and it waits, so that asking for it lets it go before others of its kind.
    """

    state: str
    problem: str
    may_be_hurried: bool = False


@dataclass(frozen=True, kw_only=True, slots=True)
class CaseView:
    """One test case."""

    position: int
    name: str
    is_sample: bool
    verdict: Verdict
    measures: Measures
    bar: TimeBar
    memory_width: float
    detail: str
    profile: ProfileView | None
    buffered: BufferedView | None
    line_costs: LineCostsView | None
    timeline: TimelineView | None
    asked: Mapping[str, Asked]  # by judge.models.Examination
    excerpts: list[Excerpt]
    first_difference: int | None
    judge_message: str
    team_message: SafeString  # the checker's words for the contestant
    score: float | None  # what the checker gave
    same_as: str  # the case whose run this is
    passes: int
    tells_passes: bool  # how many there were

    @property
    def number(self) -> int:
        """The case's number for people, from 1."""
        return self.position + 1

    @property
    def meaning(self) -> str:
        """The verdict's long name."""
        return _(self.verdict.meaning)

    @property
    def details(self) -> list[Reading]:
        """Its numbers for the part that opens."""
        return self.measures.readings(Place.CASE)

    @property
    def table_row(self) -> list[Reading]:
        """Its numbers for the table of all cases."""
        return self.measures.readings(Place.CASES)


@dataclass(frozen=True, kw_only=True, slots=True)
class BriefCase:
    """A test case of which this reader sees the verdict only."""

    position: int
    name: str
    verdict: Verdict

    @property
    def number(self) -> int:
        """The case's number for people, from 1."""
        return self.position + 1

    @property
    def meaning(self) -> str:
        """The verdict's long name."""
        return _(self.verdict.meaning)


@dataclass(frozen=True, kw_only=True, slots=True)
class Reader:
    """The reader: staff see the checker's messages and exact numbers. `refusals`: by position and examination.

    `requests`: by the id of their case. They were read before the cases: what is done by then has left its numbers.
    """

    is_staff: bool
    refusals: Mapping[tuple[int, str], str]
    requests: Mapping[int, Sequence[CaseRerun]]


def brief_case(result: TestCaseResult) -> BriefCase:
    """Return the verdict of one test case."""
    return BriefCase(position=result.position, name=result.name, verdict=Verdict(result.verdict))


def case_view(
    result: TestCaseResult, scale: TimeScale, version: ProblemVersion, reader: Reader, shown: Rounding
) -> CaseView:
    """Return one test case for one reader, who sees its numbers as `shown` says."""
    measures = measures_of(result, shown)
    return CaseView(
        position=result.position,
        name=result.name,
        is_sample=result.is_sample,
        verdict=Verdict(result.verdict),
        measures=measures,
        bar=scale.bar(measures.times),
        memory_width=min(100.0, round(100 * measures["peak_memory_bytes"] / max(1, version.memory_bytes), 2)),
        detail=_detail(result, shown, is_staff=reader.is_staff),
        profile=_profile(result.profile, shown),
        buffered=buffered_view(result, version.time_limit_ms, shown),
        line_costs=line_costs_view(result, shown),
        timeline=timeline_view(result, shown),
        asked={each: _asked(result, each, reader) for each in RerunKind},
        excerpts=_excerpts(result, version.is_interactive) if result.is_sample else [],
        first_difference=_first_difference(result),
        judge_message=result.judge_message if reader.is_staff else "",
        team_message=visible_text(result.team_message if reader.is_staff or result.is_sample else ""),
        score=result.score,
        same_as=result.same_as,
        passes=result.passes,
        tells_passes=shown.is_exact,
    )


def _detail(result: TestCaseResult, shown: Rounding, *, is_staff: bool) -> str:
    """Return the judge's sentence; of a hidden case only which limit: an exit code would be a message."""
    if is_staff or result.is_sample:
        return result.detail
    return rounded_text(result.detail, shown) if Verdict(result.verdict).record.is_stopped else ""


def _profile(profile: dict[str, Any] | None, shown: Rounding) -> ProfileView | None:
    if profile is None:
        return None
    calls: dict[str, int] = profile["syscalls"]
    streams = []
    for name in STREAMS:
        use = profile["streams"].get(name, {"calls": 0, "bytes": 0})
        streams.append(StreamView(name=name, calls=shown.count(use["calls"]), bytes=shown.count(use["bytes"])))
    return ProfileView(
        calls=count_bars(shown.names_that_matter(calls)),
        has_every_name=shown.is_exact,
        total=shown.count(sum(calls.values())),
        streams=streams,
        stopped_after_ms=shown.time_us(profile.get("stopped_after_ms", 0) * 1_000) // 1_000,
    )


def _asked(result: TestCaseResult, examination: RerunKind, reader: Reader) -> Asked:
    refusal = reader.refusals.get((result.position, examination))
    if refusal is not None:
        return Asked(state="failed", problem=refusal)
    if result.pk is None or is_known(result, examination):
        return Asked(state="", problem="")
    requests = [each for each in reader.requests.get(result.pk, ()) if each.examination == examination]
    newest: CaseRerun | None = max(requests, key=lambda request: request.pk, default=None)
    if newest is None:
        return Asked(state="", problem="")
    if not newest.is_done:
        waits = newest.is_automatic and newest.status == Status.QUEUED
        return Asked(state="pending", problem="", may_be_hurried=waits)
    return Asked(state="failed", problem=_(newest.problem) if newest.problem else _("It gave no numbers."))


def _excerpts(result: TestCaseResult, is_interactive: bool) -> list[Excerpt]:
    """Return the streams that were kept: of a conversation only stderr."""
    found = []
    if not is_interactive:
        found.append(_excerpt(_("Your output"), bytes(result.output), result.stdout_bytes))
        found.append(_excerpt(_("Expected output"), bytes(result.expected), None))
    if bytes(result.stderr):
        found.append(_excerpt(_("Error output (stderr)"), bytes(result.stderr), result.stderr_bytes))
    return found


def _excerpt(title: str, data: bytes, size: int | None) -> Excerpt:
    is_cut = len(data) >= EXCERPT_BYTES if size is None else size > len(data)
    return Excerpt(title=title, html=visible_bytes(data), is_cut=is_cut)


def _first_difference(result: TestCaseResult) -> int | None:
    """Return the first line, from 1, in which a wrong sample output differs; None if it is not visible."""
    if not result.is_sample or result.verdict != Verdict.WA:
        return None
    ours, theirs = (_lines(data) for data in (result.output, result.expected))
    for number in range(max(len(ours), len(theirs))):
        if ours[number : number + 1] != theirs[number : number + 1]:
            return number + 1
    return None


def _lines(data: Iterable[int]) -> list[list[bytes]]:
    return [line.split() for line in bytes(data).rstrip().split(b"\n")]
