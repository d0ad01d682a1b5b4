"""The test cases of a submission: one by one, in their groups, and the numbers of all together, as far as one reader
may see them."""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property

from django.utils.translation import ngettext

from judge.grading.languages import LANGUAGES
from judge.grading.measures import Measure, Place, measures_at
from judge.grading.verdicts import Verdict
from judge.models import Submission
from judge.reruns.kinds import RerunKind
from web.access.rounding import EXACT
from web.presentation.charts import TimeScale, time_scale
from web.presentation.measures import Measures, measures_of, total_of
from web.presentation.result.case import BriefCase, CaseView
from web.presentation.result.points import GroupView, Section, group_views, sections
from web.presentation.result.reader import Reader
from web.presentation.result.sentences import examination_waiting, expired_note, overhead_of


@dataclass(frozen=True, kw_only=True, slots=True)
class Totals:
    """The numbers of all judged cases together: the largest time and memory, the sums of calls."""

    is_of_samples: bool  # only of those, since the reader may not see those of all before all are judged
    accepted: int | None  # of all cases, None where the reader may not follow it
    cpu_us: int
    peak_memory_bytes: int
    read_calls: int | None  # None: not kept
    write_calls: int | None


@dataclass(frozen=True, kw_only=True)
class Cases:
    """The cases of a submission for one reader."""

    submission: Submission
    reader: Reader

    @cached_property
    def all(self) -> list[BriefCase]:
        """Those that this reader sees, as far as he sees them."""
        sees, version = self.reader.visibility, self.submission.problem_version
        return [
            CaseView(
                position=result.position,
                name=result.name,
                verdict=Verdict(result.verdict),
                result=result,
                sent=self.submission,
                reader=self.reader,
                shown=sees.rounding_of(result, version),
                measures=self._measures[result.position],
                bar=self.scale.bar(self._measures[result.position].times),
            )
            if result.position in self._measures
            else BriefCase(position=result.position, name=result.name, verdict=Verdict(result.verdict))
            for result in self.reader.results
            if sees.sees_verdict(result)
        ]

    @cached_property
    def measured(self) -> list[CaseView]:
        """Those of which this reader sees the numbers."""
        return [case for case in self.all if isinstance(case, CaseView)]

    @cached_property
    def scale(self) -> TimeScale:
        limit_us = self.submission.problem_version.time_limit_ms * 1_000
        return time_scale((measures.times for measures in self._measures.values()), limit_us)

    @cached_property
    def groups(self) -> list[GroupView]:
        counts_verdicts = self.submission.is_done or self.reader.visibility.sees_all_verdicts()
        return group_views(self.submission, self.reader.results, counts_verdicts=counts_verdicts)

    @cached_property
    def sections(self) -> list[Section]:
        return sections(self.groups, self.all)

    @property
    def judged(self) -> int:
        """The number of judged cases, whether this reader sees them or not."""
        return len(self.reader.results)

    @property
    def hidden(self) -> int:
        """The number of judged cases that are in no section, since the problem shows their totals only."""
        return self.judged - len(self.all)

    @property
    def to_come(self) -> range:
        """The numbers of the cases that are not judged yet, while it is judged."""
        total = self.submission.test_case_count or 0
        return range(0) if self.submission.is_done else range(self.judged + 1, total + 1)

    @cached_property
    def examining(self) -> Mapping[RerunKind, str]:
        """What the reruns that are under way wait for."""
        kinds = [kind for kind in RerunKind if any(case.asked[kind].state == "pending" for case in self.measured)]
        return {kind: examination_waiting(self.submission, kind) for kind in kinds}

    @property
    def is_rerun(self) -> bool:
        """Whether a case runs again, or did when its rerun's row was read: then more is to be shown."""
        return any(self.reader.requests.has_open(case.result) for case in self.measured)

    @property
    def table_measures(self) -> tuple[Measure, ...]:
        return measures_at(Place.CASES)

    @property
    def has_hidden_rounding(self) -> bool:
        return any(not case.shown.is_exact for case in self.measured)

    @property
    def overhead(self) -> str:
        """What the worker adds to each run, in words."""
        return overhead_of(self.submission)

    @property
    def start_reads(self) -> str:
        """How many read calls are not the program's own doing, in words; "" of a language that is not known."""
        language = LANGUAGES.get(self.submission.language)
        if language is None:
            return ""
        number = language.start_reads
        sentence = ngettext(
            "The read calls of each case include about %(count)s that loads an empty %(language)s program.",
            "The read calls of each case include about %(count)s that load an empty %(language)s program.",
            number,
        )
        return sentence % {"count": number, "language": language.short_name}

    @cached_property
    def expired(self) -> str:
        """That the results were deleted, when and by which rule; "": they were not."""
        return "" if self.judged or self.reader.is_preview else expired_note(self.submission)

    @cached_property
    def totals(self) -> Totals | None:
        """The numbers of all together; of deleted results those that the submission keeps. None without any."""
        submission, sees = self.submission, self.reader.visibility
        hidden = sees.rounding_of_hidden(submission.problem_version)
        if self.expired:
            cpu_us, memory = submission.max_cpu_time_us, submission.max_peak_memory_bytes
            if cpu_us is None or memory is None:
                return None
            calls = submission.total_write_calls
            return Totals(
                is_of_samples=False,
                accepted=None,
                cpu_us=hidden.cpu_time_us(cpu_us),
                peak_memory_bytes=hidden.memory_bytes(memory),
                read_calls=None,
                write_calls=None if calls is None else hidden.of_sums().write_calls(calls),
            )
        results, sees_totals = self.reader.results, sees.sees_totals(submission.is_done)
        counted = [result for result in results if sees_totals or sees.sees_numbers(result)]
        if not counted:
            return None
        rounding = EXACT if all(result.is_sample for result in counted) else hidden
        together, sees_verdicts = total_of(counted, rounding), submission.is_done or sees.sees_all_verdicts()
        return Totals(
            is_of_samples=not sees_totals,
            accepted=sum(result.verdict == Verdict.AC for result in results) if sees_verdicts else None,
            cpu_us=rounding.cpu_time_us(max(result.cpu_time_us for result in counted)),
            peak_memory_bytes=together["peak_memory_bytes"],
            read_calls=together["read_calls"],
            write_calls=together["write_calls"],
        )

    @property
    def is_over_time(self) -> bool:
        return self.totals is not None and self.totals.cpu_us > self.submission.problem_version.time_limit_ms * 1_000

    @cached_property
    def _measures(self) -> Mapping[int, Measures]:
        """The numbers that this reader sees, by the position of their case."""
        sees, version = self.reader.visibility, self.submission.problem_version
        return {
            result.position: measures_of(result, sees.rounding_of(result, version))
            for result in self.reader.results
            if sees.sees_numbers(result)
        }
