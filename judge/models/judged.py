"""A program that is judged: columns that a submission, its trial in a rejudge and a custom run share."""

from datetime import datetime
from typing import TYPE_CHECKING, Any, ClassVar

from django.db import models
from django.db.models.expressions import RawSQL
from django.utils.translation import gettext_lazy

from judge.grading.case_ending import CaseEnding
from judge.grading.compile_problem import CompileProblem
from judge.grading.counted_work import CountedWork
from judge.grading.events import (
    BufferedRun,
    Finding,
    FindingOfOlderRow,
    FixedRun,
    GroupJudged,
    LineCosts,
    LineTimes,
    RepeatedRuns,
    StatesSeen,
    TimelineRun,
    UnbufferedTwin,
)
from judge.grading.verdicts import Verdict
from judge.models.nodes import WithOverhead, WorkerNode
from judge.models.queue import QueuedWork
from problems.columns import RecordField
from problems.encodings import Encoding, title_of
from problems.languages import MOST_NAME_LENGTH
from problems.translation import Sentence, sentence_in, translated
from sandbox.errors import MeterProblem
from sandbox.types import Profile

if TYPE_CHECKING:
    from django.db.models.fields.related_descriptors import RelatedManager

_VERDICTS = [(verdict.value, gettext_lazy(verdict.record.meaning)) for verdict in Verdict]


class SentSource(models.Model):
    """A program in its language. `source` is what is compiled: UTF-8 since `encoding` is kept, any bytes before."""

    language = models.CharField(max_length=16)
    source = models.BinaryField()
    # what its sender called the file, as far as `judge.grading.languages.file_name` lets it through; "": nothing
    file_name = models.CharField(max_length=MOST_NAME_LENGTH, blank=True, default="", db_default="")
    # in which it was sent: a value of Encoding
    encoding = models.CharField(max_length=8, default=Encoding.UTF_8.value, db_default=Encoding.UTF_8.value)
    # how a page colours it: judge.grading.bounded.SourceRead as JSON; "": it cannot be read; None: nobody has tried
    tokens = models.TextField(null=True, editable=False)  # noqa: DJ001 - the two are not the same

    class Meta:
        abstract = True

    @property
    def source_text(self) -> str:
        """The source for people: invalid UTF-8 shown as replacement characters."""
        return bytes(self.source).decode("utf-8", "replace")

    @property
    def converted_from(self) -> str:
        """The name of the encoding that it was converted from; "" if it was sent in UTF-8."""
        return "" if self.encoding == Encoding.UTF_8 else title_of(self.encoding)


class JudgedProgram(QueuedWork, WithOverhead):
    """A program in the queue and its result; `results` are its test cases. The overhead is the current worker's."""

    IS_WATCHED: ClassVar[bool]  # whether a page shows each step of the grading

    verdict = models.CharField(max_length=3, blank=True, choices=_VERDICTS)
    toolchain = models.CharField(max_length=200, blank=True)
    compile_ok = models.BooleanField(null=True)
    compile_message = models.TextField(blank=True)
    compile_problem = RecordField(CompileProblem, null=True)  # what the message does not say
    compile_wall_time_us = models.PositiveBigIntegerField(null=True)
    test_case_count = models.PositiveIntegerField(null=True)
    max_cpu_time_us = models.PositiveBigIntegerField(null=True)
    max_peak_memory_bytes = models.PositiveBigIntegerField(null=True)
    total_write_calls = models.PositiveBigIntegerField(null=True)  # of all cases together, for statistics
    score = models.FloatField(null=True)  # of a scoring problem; None: not one, or no judgement
    max_score = models.FloatField(null=True)  # None: not a scoring problem, or unbounded
    groups = RecordField(tuple[GroupJudged, ...], default=list)  # of a scoring problem
    explanation = RecordField(tuple[FindingOfOlderRow | Finding, ...], default=list)
    # code of the finding that is why it failed or was slow; "": none is. By judge.grading.explain.main_cause
    cause = models.CharField(max_length=32, blank=True)
    # names of the cases whose calls by name further findings need; they are not counted yet
    awaits_counts = RecordField(tuple[str, ...], default=list, db_default=[])
    meter_reason = RecordField(MeterProblem, null=True)  # why counts by name are missing, if they are
    judge_message = models.TextField(blank=True)  # for staff
    judge_sentence = RecordField(Sentence, null=True)  # the same, if it can be translated
    # where the time from submitting to the verdict went: judge.grading.stages, in us
    stages = RecordField(dict[str, int], default=dict, db_default={})

    if TYPE_CHECKING:
        results: RelatedManager[Any]

    class Meta:
        abstract = True

    @property
    def findings(self) -> list[Finding]:
        """The explanation with its cause first: what whoever reads one finding reads."""
        return sorted(self.explanation, key=lambda finding: finding.code != self.cause)

    @property
    def queued_since(self) -> datetime:
        """The time at which the wait for its verdict began."""
        return self.created_at

    def start_over(self) -> list[str]:
        """Clear results and compiler messages, and note what this attempt's worker adds to each run."""
        if self.attempt > 1:
            self.results.all().delete()
        columns = self.note(score=None, groups=(), meter_reason=None, toolchain="", compile_wall_time_us=None)
        columns += self.note(compile_ok=None, compile_message="", compile_problem=None)
        for column in self.OVERHEAD_COLUMNS:
            of_worker = f"(SELECT {column} FROM {WorkerNode._meta.db_table} WHERE name = %s)"  # noqa: S608 - our names
            # as a text: Django needs half a millisecond for four such queries, and each claim has them
            columns += self.note(**{column: RawSQL(of_worker, [self.worker.rpartition("/")[0]])})  # noqa: S611
        return columns

    @property
    def message_for_staff(self) -> str:
        """The judge's message in the reader's language."""
        return str(translated(self.judge_sentence or self.judge_message))

    def give_up(self, why: str) -> None:
        """Judge error: it costs the contestant nothing."""
        self.verdict = Verdict.JE
        self.judge_message, self.judge_sentence = why, sentence_in(why)


class MeasuredCase(models.Model):
    """One test case's result in one attempt, with the program's measurements."""

    attempt = models.PositiveIntegerField()
    position = models.PositiveIntegerField()
    name = models.CharField(max_length=200)
    is_sample = models.BooleanField()
    verdict = models.CharField(max_length=3, choices=_VERDICTS)
    user_time_us = models.PositiveBigIntegerField()
    system_time_us = models.PositiveBigIntegerField()
    wall_time_us = models.PositiveBigIntegerField()
    queued_time_us = models.PositiveBigIntegerField(default=0)  # of the wall time: the machine gave it no core
    peak_memory_bytes = models.PositiveBigIntegerField()
    voluntary_switches = models.PositiveBigIntegerField()
    involuntary_switches = models.PositiveBigIntegerField()
    minor_faults = models.PositiveBigIntegerField()
    major_faults = models.PositiveBigIntegerField()
    read_calls = models.PositiveBigIntegerField()
    write_calls = models.PositiveBigIntegerField()
    read_bytes = models.PositiveBigIntegerField()
    write_bytes = models.PositiveBigIntegerField()
    exit_code = models.IntegerField(null=True)  # None: it was stopped, or killed by a signal, or the row is old
    stdout_bytes = models.PositiveBigIntegerField()
    stderr_bytes = models.PositiveBigIntegerField()
    ending = RecordField(CaseEnding, null=True)  # null: accepted, or the row is old
    output = models.BinaryField(default=b"")  # samples only, first 4 KiB
    stderr = models.BinaryField(default=b"")
    expected = models.BinaryField(default=b"")
    judge_message = models.TextField(blank=True)  # for staff
    judge_sentence = RecordField(Sentence, null=True)  # the same, if it can be translated
    team_message = models.TextField(blank=True)  # the checker's words for the contestant; samples only
    score = models.FloatField(null=True)  # what the checker gave
    same_as = models.CharField(max_length=200, blank=True)  # the earlier case whose run this is, being the same
    passes = models.PositiveIntegerField(default=1)  # of a multi-pass problem, how often the program ran
    profile = RecordField(Profile, null=True)
    buffered = RecordField(BufferedRun, null=True)
    unbuffered = RecordField(UnbufferedTwin, null=True)
    states = RecordField(StatesSeen, null=True)
    fix = RecordField(FixedRun, null=True)
    line_costs = RecordField(LineCosts, null=True)
    line_times = RecordField(LineTimes, null=True)
    counted_work = RecordField(CountedWork, null=True)
    timeline = RecordField(TimelineRun, null=True)
    run_times = RecordField(tuple[int, ...], null=True)  # as in judge.grading.events.CaseJudged; null: none
    repeats = RecordField(RepeatedRuns, null=True)
    growth = RecordField(Finding, null=True)  # of extra runs; of the case that keeps it

    class Meta:
        abstract = True
        ordering = ["position"]

    @property
    def message_for_staff(self) -> str:
        """The judge's message in the reader's language."""
        return str(translated(self.judge_sentence or self.judge_message))

    @property
    def cpu_time_us(self) -> int:
        """User plus system time."""
        return self.user_time_us + self.system_time_us

    @property
    def waiting_time_us(self) -> int:
        """Wall time in which the run wanted no core: it slept, or waited for a file, a lock or a child."""
        return max(0, self.wall_time_us - self.cpu_time_us - self.queued_time_us)
