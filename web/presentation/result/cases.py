"""The test cases of one submission as the result page shows them, without anything this reader may not see."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

from django.utils.safestring import SafeString
from django.utils.translation import gettext as _
from django.utils.translation import gettext_noop

from judge.grading.case_ending import CaseEnding
from judge.grading.explain.endings import ending_in_words
from judge.grading.near_limit import clock_us, is_near, limited_us, wall_limit_ms
from judge.grading.verdicts import Verdict
from judge.models import CaseRerun, TestCaseResult
from judge.reruns.kinds import RerunKind
from problems.models import ProblemVersion
from sandbox.types import STREAMS
from web.presentation.charts import CountBar, TimeBar, TimeScale, count_bars
from web.presentation.measures import Measures, measures_of
from web.presentation.proof.buffered import BufferedView, buffered_view
from web.presentation.proof.case_timeline import TimelineView, timeline_view
from web.presentation.proof.near_limit import NearLimitView, near_limit_view
from web.presentation.result.difference import Difference, difference_of
from web.presentation.result.endings import end_html, ending_of_row
from web.presentation.result.line_costs import LineCostsView, line_costs_view
from web.presentation.result.line_times import LineTimesView, line_times_view
from web.presentation.result.reruns import Asked, Offer, Requests
from web.presentation.rounded_text import rounded_text
from web.presentation.rounding import Rounding, mean
from web.presentation.visible import EXCERPT_BYTES, visible_bytes, visible_text

_FILES = gettext_noop("files")  # of sandbox.types.STREAMS


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
    """The beginning of something that a sample case read or wrote: at most `kept_kib` KiB of it."""

    title: str
    html: SafeString
    is_cut: bool
    kept_kib: int
    is_of_errors: bool = False


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
    detail: str | SafeString
    ending: CaseEnding | None  # of one that failed
    profile: ProfileView | None
    buffered: BufferedView | None
    line_costs: LineCostsView | None
    line_times: LineTimesView | None
    timeline: TimelineView | None
    near: NearLimitView | None  # its runs, where it is near the time limit
    asked: Mapping[RerunKind, Asked]
    counted: CaseRerun | None  # the rerun that its profile is of, if it was none of the judging's runs
    offers: list[Offer]
    excerpts: list[Excerpt]
    difference: Difference | None  # of a wrong sample
    is_over_cpu_limit: bool
    judge_message: str
    team_message: SafeString  # the checker's words for the contestant
    score: float | None  # what the checker gave
    same_as: str  # the case whose run this is
    passes: int
    tells_passes: bool  # how many there were
    has_verdict: bool = True  # False: it ended well, and there was nothing to compare its output with

    @property
    def number(self) -> int:
        """The case's number for people, from 1."""
        return self.position + 1

    @property
    def meaning(self) -> str:
        """The verdict's long name."""
        return _(self.verdict.meaning)

    @property
    def has_reruns(self) -> bool:
        """Return whether more than its judged run is shown, or is asked for."""
        found = (self.profile, self.buffered, self.line_costs, self.line_times, self.timeline, self.near)
        return any(each is not None for each in found) or any(each.state for each in self.asked.values())

    @property
    def has_failed_rerun(self) -> bool:
        """Return whether a rerun that may be asked for again has failed."""
        return any(offer.problem for offer in self.offers)


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
    """The reader: staff see the checker's messages and exact numbers. `language`: of the program."""

    is_staff: bool
    requests: Requests
    language: str


def brief_case(result: TestCaseResult) -> BriefCase:
    """Return the verdict of one test case."""
    return BriefCase(position=result.position, name=result.name, verdict=Verdict(result.verdict))


def case_view(
    result: TestCaseResult,
    scale: TimeScale,
    version: ProblemVersion,
    reader: Reader,
    shown: Rounding,
    measures: Measures | None = None,
) -> CaseView:
    """Return one test case for one reader, who sees its numbers as `shown` says. `measures`: as seen so, if known."""
    measures, asked = measures or measures_of(result, shown), reader.requests.about(result)
    ending = ending_of_row(result, reader.language, sees_all=reader.is_staff)
    return CaseView(
        position=result.position,
        name=result.name,
        is_sample=result.is_sample,
        verdict=Verdict(result.verdict),
        measures=measures,
        bar=scale.bar(measures.times),
        memory_width=min(100.0, round(100 * measures["peak_memory_bytes"] / max(1, version.memory_bytes), 2)),
        detail=end_html(ending, reader.language, result.name) or _detail(result, shown, is_staff=reader.is_staff),
        ending=ending,
        profile=_profile(result.profile, shown),
        buffered=buffered_view(result, version.time_limit_ms, shown),
        line_costs=line_costs_view(result, shown),
        line_times=line_times_view(result, shown),
        timeline=timeline_view(result, shown),
        near=near_limit_view(result, version.time_limit_ms, shown),
        asked=asked,
        counted=reader.requests.counted(result),
        offers=reader.requests.offers(result, asked, is_near=_is_near(result, version, shown)),
        excerpts=excerpts_of(result, has_output=_has_excerpts(result, version)) if result.is_sample else [],
        difference=_difference(result, version),
        is_over_cpu_limit=result.cpu_time_us > version.time_limit_ms * 1_000,
        judge_message=ending_in_words(result.judge_message) if reader.is_staff else "",
        team_message=visible_text(result.team_message if reader.is_staff or result.is_sample else ""),
        score=result.score,
        same_as=result.same_as,
        passes=result.passes,
        tells_passes=shown.is_exact,
    )


def _is_near(result: TestCaseResult, version: ProblemVersion, shown: Rounding) -> bool:
    """Return whether the case, as the reader sees its time, was near the time limit."""
    time_us = limited_us(result.cpu_time_us, result.passes, result.run_times)
    if time_us is not None and is_near(shown.cpu_time_us(time_us), version.time_limit_ms):
        return True
    on_clock_us = clock_us(result.wall_time_us, result.queued_time_us, result.passes)
    return is_near(shown.time_us(on_clock_us), wall_limit_ms(version.time_limit_ms))


def _detail(result: TestCaseResult, shown: Rounding, *, is_staff: bool) -> str:
    """Return the judge's sentence; of a hidden case only which limit: an exit code would be a message."""
    if is_staff or result.is_sample:
        return ending_in_words(result.detail)
    is_told = Verdict(result.verdict).record.is_stopped
    return ending_in_words(rounded_text(result.detail, shown)) if is_told else ""


def _profile(profile: dict[str, Any] | None, shown: Rounding) -> ProfileView | None:
    if profile is None:
        return None
    calls: dict[str, int] = profile["syscalls"]
    streams = []
    for name in STREAMS:
        use = profile["streams"].get(name, {"calls": 0, "bytes": 0})
        streams.append(
            StreamView(name=_stream_name(name), calls=shown.count(use["calls"]), bytes=shown.count(use["bytes"]))
        )
    return ProfileView(
        calls=count_bars(shown.names_that_matter(calls)),
        has_every_name=shown.is_exact,
        total=shown.count(sum(calls.values())),
        streams=streams,
        stopped_after_ms=shown.time_us(profile.get("stopped_after_ms", 0) * 1_000) // 1_000,
    )


def _stream_name(name: str) -> str:
    """Return a stream's name; all files that are none of the three are one, in the reader's words."""
    return _(_FILES) if name == _FILES else name


def _has_excerpts(result: TestCaseResult, version: ProblemVersion) -> bool:
    """Return whether the output stands on its own: a wrong one stands in the difference, a conversation is not kept."""
    return not version.is_interactive and result.verdict != Verdict.WA


def excerpts_of(
    result: TestCaseResult, kept_bytes: int = EXCERPT_BYTES, *, has_output: bool = True, has_expected: bool = True
) -> list[Excerpt]:
    """Return the streams that were kept, up to `kept_bytes` of each: without output only stderr."""
    found = []
    if has_output:
        found.append(excerpt(_("Your output"), bytes(result.output), result.stdout_bytes, kept_bytes))
    if has_output and has_expected:
        found.append(excerpt(_("Expected output"), bytes(result.expected), None, kept_bytes))
    if bytes(result.stderr):
        stderr = excerpt(_("Error output (stderr)"), bytes(result.stderr), result.stderr_bytes, kept_bytes)
        found.append(replace(stderr, is_of_errors=True))
    return found


def excerpt(title: str, data: bytes, size: int | None, kept_bytes: int = EXCERPT_BYTES) -> Excerpt:
    """Return the beginning of the data; `size` is that of the whole, None if only the beginning was kept."""
    is_cut = len(data) >= kept_bytes if size is None else size > min(len(data), kept_bytes)
    html = visible_bytes(data[:kept_bytes], kept_bytes)
    return Excerpt(title=title, html=html, is_cut=is_cut, kept_kib=kept_bytes // 1024)


def _difference(result: TestCaseResult, version: ProblemVersion) -> Difference | None:
    """Return what differs in a wrong sample output; None of anything else."""
    is_wrong = result.is_sample and result.verdict == Verdict.WA and not version.is_interactive
    return difference_of(result, version.samples) if is_wrong else None
