"""Limit the read and write calls of a program on a test case: a limit that no noise affects.

A problem may give numbers ("at most 2,000 writes"), and for writes also a factor of what the jury's own accepted
submission makes on the same case ("at most 1.5 x the reference"); the smaller one counts. The reference is an accepted
jury submission, in the contestant's language if there is one, since runtimes buffer in pieces of different sizes. It is
run once per package, language and host, and what it made is kept in the cache folder. Calls are those of the kernel's
books (`sandbox.types.IoProfile`), so the reads with which a runtime starts and loads modules are among them: about 20
in Python. That is why no factor is for reads. In a conversation the number of reads hangs on how the other side
writes: there is no limit on them.

Only a case that is otherwise accepted can be over its budget: a wrong answer in few calls is wrong.
"""

import json
import math
from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass, replace
from pathlib import Path

from judge.grading.case_ending import CallExcess, CaseEnding
from judge.grading.compiling import compile_cache
from judge.grading.compiling.compile_cache import KeptResult
from judge.grading.ending_words import of_calls
from judge.grading.events import CaseJudged, GradingJob
from judge.grading.jury_job import jury_job
from judge.grading.languages import LANGUAGES, language_by_id
from judge.grading.verdicts import Verdict
from problems.package import PackageError, ProblemLimits
from problems.translation import Sentence, joined
from sandbox.errors import SandboxError
from sandbox.types import Ending, IoProfile

LEAST_ROOM = 10  # calls above the reference that a factor allows at least: half a call more would mean nothing


@dataclass(frozen=True, kw_only=True, slots=True)
class CallBudget:
    """The most calls of a case; None: as many as one likes."""

    writes: int | None = None
    reads: int | None = None

    def exceeded_by(self, io: IoProfile) -> CallExcess | None:
        """Return what exceeds the budget; None if nothing does."""
        for calls, most, what in ((io.write_calls, self.writes, "write"), (io.read_calls, self.reads, "read")):
            if most is not None and calls > most:
                return CallExcess(what=what, made=calls, most=most)
        return None


def needs_reference(limits: ProblemLimits) -> bool:
    """Return whether the budget hangs on what a jury submission makes."""
    return limits.write_factor > 0


def budget_of(limits: ProblemLimits, reference: IoProfile | None) -> CallBudget:
    """Return the budget of one case; `reference`: the calls of the jury's submission on it, None without a factor."""
    writes = [limits.write_calls] if limits.write_calls else []
    if reference is not None:
        calls = reference.write_calls
        writes.append(max(math.ceil(calls * limits.write_factor), calls + LEAST_ROOM))
    return CallBudget(writes=min(writes, default=None), reads=limits.read_calls or None)


def judged_by(judged: CaseJudged, budget: CallBudget) -> CaseJudged:
    """Apply the budget to a case: an accepted case over it becomes SLE. The message hides a hidden case's count."""
    excess = budget.exceeded_by(judged.io) if judged.verdict is Verdict.AC else None
    if excess is None:
        return judged
    ending = CaseEnding(how=Ending.EXITED, exit_code=0, calls=excess)
    counts = of_calls(excess)
    return replace(
        judged,
        verdict=Verdict.SLE,
        ending=ending if judged.is_sample else ending.bounded(frozenset()),
        judge_message=joined([judged.judge_message, counts], "\n") if judged.judge_message else counts,
    )


def reference_job(job: GradingJob) -> GradingJob:
    """Return the job of the jury submission that is the reference. Raises PackageError without one."""
    submissions = [submission for submission in job.package.submissions if submission.language in LANGUAGES]
    accepted = [
        submission
        for submission in submissions
        if submission.expected == {Verdict.AC} and not language_by_id(submission.language or "").detect().problem
    ]
    if not accepted:
        why = Sentence("holds nothing to compare calls with: the call limits need a reference")
        raise PackageError("submissions/accepted", "", why)
    reference = min(accepted, key=lambda submission: (submission.language != job.language, submission.name))
    limits = replace(job.package.limits, write_calls=0, read_calls=0, write_factor=0.0)
    return replace(jury_job(replace(job.package, limits=limits), reference, job.cpu), runs_all=True)


def counts_of(job: GradingJob, cases: Iterable[CaseJudged]) -> dict[str, IoProfile]:
    """Return the reference's calls by case. Raises PackageError when it is not accepted, SandboxError when it ran out
    of time.

    On a busy machine the machine may be the reason, and another attempt is due.
    """
    listed = list(cases)
    slow = next((case for case in listed if case.verdict is Verdict.TLE), None)
    if slow is not None:
        raise SandboxError(f"the reference for the call limits ran out of time on {slow.name}")
    wrong = next((case for case in listed if case.verdict is not Verdict.AC), None)
    if wrong is not None or not listed:
        why = Sentence("the reference for the call limits did not compile (%(language)s)", language=job.language)
        if wrong is not None:
            why = Sentence(
                "the reference for the call limits got %(verdict)s on %(case)s (%(language)s)",
                verdict=wrong.verdict.value,
                case=wrong.name,
                language=job.language,
            )
        raise PackageError("submissions/accepted", "", why)
    return {case.name: case.io for case in listed}


def key_of_reference(job: GradingJob) -> str:
    """Return the key under which the counts of a reference are stored: all that they depend on. Raises
    ToolchainMissing.
    """
    package, language = job.package, language_by_id(job.language)
    parts = ["reference", package.digest, language.fingerprint(), package.limits.stdout]
    return compile_cache.key_of_parts(parts, dict(job.files) or {job.file_name: job.source})


def kept_counts(cache: Path, key: str) -> dict[str, IoProfile] | None:
    """Return the stored counts; None when there are none."""
    cached = compile_cache.look_up(cache, key)
    return {name: IoProfile(**calls) for name, calls in json.loads(cached.message).items()} if cached else None


def keep_counts(cache: Path, key: str, counts: Mapping[str, IoProfile], folder: Path) -> None:
    """Keep them beside the compile results; `folder` is a private one on the same file system."""
    message = json.dumps({name: asdict(io) for name, io in counts.items()})
    compile_cache.keep(cache, key, KeptResult(is_ok=True, message=message), folder)
