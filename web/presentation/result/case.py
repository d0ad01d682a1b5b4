"""A test case as the pages of submissions and runs show it. Each part of it is made when a page shows it."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cached_property

from django.utils.html import format_html, format_html_join
from django.utils.safestring import SafeString
from django.utils.translation import gettext as _, gettext_noop

from judge.grading.case_ending import CaseEnding
from judge.grading.ending_words import brief, line_in_words, sentences_of_end
from judge.grading.languages import LANGUAGES
from judge.grading.measures import Limit, Place, measures_at
from judge.grading.near_limit import clock_us, is_near, limited_us, wall_limit_ms
from judge.grading.verdicts import Verdict
from judge.models import CaseRerun, CustomRun, Submission, TestCaseResult
from judge.reruns.kinds import RerunKind
from problems.models import ProblemVersion
from problems.translation import translated
from sandbox.types import STREAMS, StreamUse
from web.access.rounding import Rounding, mean
from web.presentation.charts import DRAWN_AS, CountBar, TimeBar, count_bars
from web.presentation.counted_work import CountedWorkView, counted_work_view
from web.presentation.difference import Difference, difference_of
from web.presentation.measures import Measures
from web.presentation.proof.buffered import BufferedView, buffered_view
from web.presentation.proof.endless import EndlessView, endless_view
from web.presentation.proof.lines import LineCostsView, LineTimesView, line_costs_view, line_times_view
from web.presentation.proof.near_limit import NearLimitView, near_limit_view
from web.presentation.proof.timeline import TimelineView, timeline_view
from web.presentation.proof.unbuffered import unbuffered_words
from web.presentation.result.reader import Asked, Offer, Reader
from web.presentation.terms import TERM_OF_MEASURE
from web.presentation.units import data_size
from web.presentation.visible import EXCERPT_BYTES, visible_bytes, visible_text, with_code


def end_html(ending: CaseEnding | None, language_id: str, case: str, source_address: str = "") -> SafeString:
    """Return the sentences on how a case ended; empty for none. `case` names it, and may be a link."""
    if ending is None:
        return SafeString()
    line = format_html('<a href="{}#L{}">{}</a>', source_address, ending.place, line_in_words(ending.place))
    sentences = (
        format_html(
            with_code(sentence.template),
            case=case,
            line=line,
            **{name: with_code(value) for name, value in sentence.values.items()},
            **{name: format_html("<code>{}</code>", visible_text(words)) for name, words in sentence.quotes.items()},
        )
        for sentence in sentences_of_end(ending, LANGUAGES.get(language_id))
    )
    return format_html_join(" ", "{}", ((sentence,) for sentence in sentences))


_FILES = gettext_noop("files")  # of sandbox.types.STREAMS: all that are none of the three


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
class BriefCase:
    """A test case; by itself one of which this reader sees the verdict only."""

    position: int
    name: str
    verdict: Verdict

    @property
    def number(self) -> int:
        """The case's number for people, from 1."""
        return self.position + 1

    @property
    def meaning(self) -> str:
        return _(self.verdict.meaning)


@dataclass(frozen=True, kw_only=True, slots=True)
class Number:
    """One number of a case. `colour`: of its segment in the bar; `term`: what explains it; both may be empty."""

    label: str
    colour: str
    term: str
    words: str
    is_memory: bool  # it is held against the memory limit


@dataclass(frozen=True, kw_only=True)
class CaseView(BriefCase):
    """A test case whose numbers this reader sees, as `shown` says."""

    result: TestCaseResult
    sent: Submission | CustomRun
    reader: Reader
    shown: Rounding
    measures: Measures
    bar: TimeBar
    has_verdict: bool = True  # False: it ended well, and there was nothing to compare its output with

    @property
    def numbers(self) -> list[Number]:
        """All that is told of its run."""
        numbers = []
        for measure in measures_at(Place.CASE):
            words, is_memory = self.measures.words(measure, Place.CASE), measure.limit is Limit.MEMORY
            if is_memory:
                values = {"memory": words, "limit": data_size(self._version.memory_bytes)}
                words = _("%(memory)s of %(limit)s") % values
            colour, term = DRAWN_AS.get(measure.name, ""), TERM_OF_MEASURE.get(measure.name, "")
            numbers.append(Number(label=_(measure.label), colour=colour, term=term, words=words, is_memory=is_memory))
        return numbers

    @property
    def memory_width(self) -> float:
        """The length of the bar of its memory, in per cent."""
        return min(100.0, round(100 * self.measures["peak_memory_bytes"] / max(1, self._version.memory_bytes), 2))

    @cached_property
    def ending(self) -> CaseEnding | None:
        """How it ended, if it ran and failed."""
        result, ending = self.result, self.result.ending
        if result.verdict != Verdict.RE or ending is None or ending.how is None:
            return None
        if result.is_sample:
            return ending
        if self.reader.is_staff:  # of a hidden case the row's ending has no more than contestants see
            return replace(ending, exit_code=result.exit_code if ending.exit_code is None else ending.exit_code)
        language = LANGUAGES.get(self.sent.language)
        return ending.bounded(language.known_errors if language else frozenset())

    @cached_property
    def detail(self) -> str:
        """How it ended in words; else the judge's sentence, of a hidden case only which limit."""
        if end := end_html(self.ending, self.sent.language, self.result.name):
            return end
        ending = self.result.ending
        if ending is None:
            return ""
        if not (self.reader.is_staff or self.result.is_sample):
            if not self.verdict.record.is_stopped:
                return ""
            ending = ending.bounded(frozenset())
        return translated(brief(ending)) or ""

    @property
    def wrote_its_error(self) -> bool:
        """Return whether some of its write calls are those of its error message, which its runtime writes."""
        ending = self.result.ending
        return ending is not None and bool(ending.error or ending.lost) and self.result.write_calls > 0

    @cached_property
    def profile(self) -> ProfileView | None:
        """Its calls by name."""
        profile, rounding = self.result.profile, self.shown
        if profile is None:
            return None
        calls, streams = profile.syscalls, []
        for name in STREAMS:
            use = profile.streams.get(name, StreamUse(calls=0, bytes=0))
            label, bytes_ = _(_FILES) if name == _FILES else name, rounding.count(use.bytes)
            streams.append(StreamView(name=label, calls=rounding.count(use.calls), bytes=bytes_))
        return ProfileView(
            calls=count_bars(rounding.names_that_matter(calls)),
            has_every_name=rounding.is_exact,
            total=rounding.count(sum(calls.values())),
            streams=streams,
            stopped_after_ms=rounding.time_us(profile.stopped_after_ms * 1_000) // 1_000,
        )

    @cached_property
    def counted(self) -> CaseRerun | None:
        """The rerun that its profile is of, if it was none of the judging's runs."""
        return self.reader.requests.counted(self.result)

    @cached_property
    def buffered(self) -> BufferedView | None:
        return buffered_view(self.result, self._version.time_limit_ms, self.shown)

    @cached_property
    def unbuffered(self) -> str:
        return unbuffered_words(self.result)

    @cached_property
    def endless(self) -> EndlessView | None:
        return endless_view(self.result, self.shown)

    @cached_property
    def line_costs(self) -> LineCostsView | None:
        return line_costs_view(self.result, self.shown)

    @cached_property
    def line_times(self) -> LineTimesView | None:
        return line_times_view(self.result, self.shown)

    @cached_property
    def counted_work(self) -> CountedWorkView | None:
        return counted_work_view(self.result, self.shown)

    @cached_property
    def timeline(self) -> TimelineView | None:
        return timeline_view(self.result, self.shown)

    @cached_property
    def near(self) -> NearLimitView | None:
        return near_limit_view(self.result, self._version.time_limit_ms, self.shown)

    @cached_property
    def asked(self) -> Mapping[RerunKind, Asked]:
        return self.reader.requests.about(self.result)

    @cached_property
    def offers(self) -> list[Offer]:
        """The reruns that may be asked for; repeats where its time, as the reader sees it, was near the limit."""
        result, limit_ms = self.result, self._version.time_limit_ms
        time_us = limited_us(result.cpu_time_us, result.passes, result.run_times)
        on_clock_us = clock_us(result.wall_time_us, result.queued_time_us, result.passes)
        is_close = is_near(self.shown.time_us(on_clock_us), wall_limit_ms(limit_ms))
        is_close = is_close or (time_us is not None and is_near(self.shown.cpu_time_us(time_us), limit_ms))
        return self.reader.requests.offers(result, self.asked, is_near=is_close)

    @cached_property
    def difference(self) -> Difference | None:
        """What differs in the wrong output for a sample."""
        is_wrong = self.result.is_sample and self.verdict is Verdict.WA and not self._version.is_interactive
        return difference_of(self.result, self._version.samples) if is_wrong else None

    @cached_property
    def excerpts(self) -> list[Excerpt]:
        """What a sample wrote. A wrong output stands in the difference, a conversation is not kept."""
        has_output = not self._version.is_interactive and self.verdict is not Verdict.WA
        return excerpts_of(self.result, has_output=has_output) if self.result.is_sample else []

    @property
    def judge_message(self) -> str:
        return self.result.message_for_staff if self.reader.is_staff else ""

    @property
    def team_message(self) -> SafeString:
        """The checker's words for the contestant."""
        return visible_text(self.result.team_message if self.reader.is_staff or self.result.is_sample else "")

    @property
    def has_reruns(self) -> bool:
        """Return whether more than its judged run is shown, or is asked for."""
        by_line = (self.line_costs, self.line_times, self.counted_work)
        results = (self.profile, self.buffered, self.endless, *by_line, self.timeline, self.near)
        has_any = bool(self.unbuffered) or any(result is not None for result in results)
        return has_any or any(request.state for request in self.asked.values())

    @property
    def has_failed_rerun(self) -> bool:
        return any(offer.problem for offer in self.offers)

    @property
    def _version(self) -> ProblemVersion:
        return self.sent.problem_version


def excerpts_of(
    result: TestCaseResult, kept_bytes: int = EXCERPT_BYTES, *, has_output: bool = True, has_expected: bool = True
) -> list[Excerpt]:
    """Return the streams that were kept, up to `kept_bytes` of each: without output only stderr."""
    excerpts = []
    if has_output:
        excerpts.append(excerpt(_("Your output"), bytes(result.output), result.stdout_bytes, kept_bytes))
    if has_output and has_expected:
        excerpts.append(excerpt(_("Expected output"), bytes(result.expected), None, kept_bytes))
    if bytes(result.stderr):
        stderr = excerpt(_("Error output (stderr)"), bytes(result.stderr), result.stderr_bytes, kept_bytes)
        excerpts.append(replace(stderr, is_of_errors=True))
    return excerpts


def excerpt(title: str, data: bytes, size: int | None, kept_bytes: int = EXCERPT_BYTES) -> Excerpt:
    """Return the beginning of the data; `size` is that of the whole, None if only the beginning was kept."""
    is_cut = len(data) >= kept_bytes if size is None else size > min(len(data), kept_bytes)
    html = visible_bytes(data[:kept_bytes], kept_bytes)
    return Excerpt(title=title, html=html, is_cut=is_cut, kept_kib=kept_bytes // 1024)
