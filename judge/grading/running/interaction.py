"""Judge cases of an interactive problem: the program and the package's interactor run side by side, with two pipes.

Each has a jail and limits of its own; the interactor may take as long as the program may, and its validation time on
top. Who ended first is noted by `sandbox.jail.pair` before the other one can know of it. The verdict, by the first row
that fits (the interactor's word is its exit code: 42 accepts, 43 rejects):

| interactor                      | program                             | verdict                                 |
|---------------------------------|-------------------------------------|-----------------------------------------|
| rejects and ended first (*)     | whatever befell it then             | WA                                      |
| accepts, or rejects afterwards  | a limit, a signal, a non-zero exit  | its own: TLE, MLE, OLE, RE              |
| accepts; rejects afterwards     | ended well                          | AC; WA                                  |
| no word, flooded (+)            | ended well, or ended afterwards     | OLE: it was sent too much               |
| no word and ended first (*)     | whatever befell it then             | JE: it failed while the program lived   |
| no word afterwards              | a limit, a signal, a non-zero exit  | its own: the interactor was left alone  |
| no word, missed its partner     | ended well                          | WA: it left in mid-conversation         |
| no word for any other reason    | ended well                          | JE                                      |

(*) A program that hung up before, and lived on, was the first to leave, so that the interactor's word comes afterwards;
so does its silence, if it missed its partner.

(+) It hit a limit of its own, and had read more from the program than the problem's output limit.

Missed its partner: SIGPIPE, or a Python traceback that ends with BrokenPipeError or EOFError. Any other failure after
a clean exit may be the interactor's own fault over a right answer, so it is never a WA. Praise that nobody reads is no
failure: it goes into the pipe, which breaks only for who fills it to the brim. Both waiting for each other, or
a program that does not end after the last word: its own wall limit comes first, TLE.

Source: "Output validators" and "Judging" in the ICPC/Kattis problem package format.
"""

import re
import signal
from dataclasses import replace

from judge.grading.case_ending import end_of
from judge.grading.checkers.checking import blaming_package
from judge.grading.checkers.validators import SILENT, OpenValidator, OtherSide
from judge.grading.ending_words import brief
from judge.grading.events import Partner
from judge.grading.running.execution import Program, Run
from judge.grading.stages import Stage
from judge.grading.verdicts import Judgement, Verdict, verdict_of_ending
from judge.grading.words import duration
from problems.package import PackageError, TestCase
from problems.translation import Sentence, joined
from sandbox.errors import CommandError, MeterUnavailable
from sandbox.jail.jail import OpenJail
from sandbox.jail.pair import PairOutcome, Side, run_pair
from sandbox.meter.meter import meter_problem
from sandbox.types import Ending, Jail, Limits, Outcome, Profile

_PROFILE_GRACE_MS = 10_000  # for the interactor after the program's end, while every graded run of the host waits
_ALONE = re.compile(r"^(EOFError|BrokenPipeError)\b.*\Z", re.MULTILINE)


class Conversation:
    """A program and its interactor: a `judge.grading.running.execution.PassRunner`."""

    def __init__(self, program: Program, interactor: OpenValidator) -> None:
        self._program = program
        self._interactor = interactor
        self._refusal: CommandError | None = None  # the kernel does not load the program: then the jails are gone

    def run(self, case: TestCase, *, goes_on: bool = False) -> Run:
        """Let both talk. Raises CommandError when the program cannot be started, every time the same."""
        with blaming_package(case), self._program.stopwatch.timed(Stage.RUN):
            pair = self._talk(case, self._program.run_limits, goes_on=goes_on)
        with self._program.stopwatch.timed(Stage.CHECK):
            verdict, judgement = self._rule(case, pair)
        return Run(
            outcome=self._outcome(pair, verdict),
            verdict=verdict,
            message=judgement.message,
            team_message=judgement.team_message,
            score=judgement.score if verdict is Verdict.AC else None,
            multiplier=judgement.multiplier if verdict is Verdict.AC else None,
            next_input=self._interactor.next_input if verdict is Verdict.AC else None,
            is_output_right=verdict is Verdict.RE and judgement.is_full and self._interactor.next_input is None,
            slowest_pass_us=pair.program.usage.cpu_time_us,
            doubt=pair.doubt,
            stdout=None,
            stderr=self._program.stderr,
            expected=None,
            partner=Partner(ended_first=pair.interactor_ended_first, cpu_time_us=pair.interactor.usage.cpu_time_us),
        )

    def profile(self, case: TestCase, *, goes_on: bool = False) -> Profile:
        """Let both talk again, with the program under the meter."""
        problem = meter_problem()
        if problem is not None:
            raise MeterUnavailable(problem)
        pair = self._talk(case, self._program.profile_limits, goes_on=goes_on, is_profiled=True)
        assert pair.profile is not None, "it was asked for"
        return pair.profile

    def _talk(self, case: TestCase, limits: Limits, *, goes_on: bool, is_profiled: bool = False) -> PairOutcome:
        if self._refusal is not None:
            raise CommandError(str(self._refusal), self._refusal.reason)
        extra_ms = self._interactor.limits.wall_time_ms
        if is_profiled:
            extra_ms = min(extra_ms, _PROFILE_GRACE_MS)
        patient = replace(self._interactor.limits, wall_time_ms=limits.wall_time_ms + extra_ms)
        command = self._program.command(case, is_batch=False)
        program = Side(jail=_real(self._program.jail), command=command, limits=limits)
        asks = self._interactor.command(case, goes_on=goes_on)
        interactor = Side(jail=_real(self._interactor.jail), command=asks, limits=patient)
        try:
            return run_pair(program, interactor, is_profiled=is_profiled)
        except CommandError as error:
            self._refusal = error
            raise

    def _outcome(self, pair: PairOutcome, verdict: Verdict) -> Outcome:
        """Return the program's outcome with the bytes it sent; a flood is its ending, however the interactor ended.

        What disturbed the interactor disturbed the conversation.
        """
        watch = pair.program.watch + replace(pair.interactor.watch, host_gap_us=0)  # the host's is that of both
        # a pipe keeps no count, so all its writes but stderr; those to scratch files would count too
        sent_bytes = max(0, pair.program.io.write_bytes - pair.program.stderr_bytes)
        outcome = replace(pair.program, stdout_bytes=sent_bytes, watch=watch)
        if verdict is not Verdict.OLE or outcome.ending is Ending.OUTPUT_LIMIT:
            return outcome
        limit = self._program.run_limits.output_bytes
        return replace(outcome, ending=Ending.OUTPUT_LIMIT, limit=limit, stream="stdout")

    def _rule(self, case: TestCase, pair: PairOutcome) -> tuple[Verdict, Judgement]:
        """Return the verdict and the interactor's messages."""
        interactor = self._interactor
        is_alone = missed_its_partner(pair.interactor, interactor.stderr())
        try:
            judgement = interactor.judgement(case, pair.interactor)
        except PackageError as error:
            return Verdict.JE, Judgement(is_accepted=False, message=error.sentence)
        is_flooded = was_flooded(pair.interactor, case, self._program.run_limits.output_bytes)
        verdict = decide(pair, judgement.is_accepted if judgement else None, is_alone=is_alone, is_flooded=is_flooded)
        if judgement is None:
            ended = brief(end_of(pair.program)) or Sentence("exit code %(code)s", code="0")
            other = OtherSide(ended=None if pair.interactor_ended_first else ended)
            failure = interactor.failure(case, pair.interactor, other)
            return verdict, Judgement(is_accepted=False, message=failure.sentence)
        if pair.program.ending is not Ending.WALL_LIMIT:
            return verdict, judgement
        time = duration(pair.interactor.usage.cpu_time_us)
        used = Sentence("the interactor used %(time)s of CPU time", time=time)
        message = joined([judgement.message, used], "\n") if judgement.message else used
        return verdict, replace(judgement, message=message)


def decide(pair: PairOutcome, is_accepted: bool | None, *, is_alone: bool, is_flooded: bool = False) -> Verdict:
    """Return the verdict by the table above. `is_accepted`: the interactor's judgement, None without one; `is_alone`:
    it missed its partner.
    """
    failed = Verdict.OLE if is_flooded else Verdict.JE
    own = verdict_of_ending(pair.program)
    if is_accepted is not None:
        if pair.interactor_ended_first and not is_accepted and not pair.program_left_early:
            return Verdict.WA
        return own or (Verdict.AC if is_accepted else Verdict.WA)
    if pair.interactor_ended_first and not (is_alone and pair.program_left_early):
        return failed
    return own or (Verdict.WA if is_alone else failed)


def was_flooded(interactor: Outcome, case: TestCase, output_bytes: int) -> bool:
    """Return whether it reached its own limit after more output than the program may print, such as an endless line.

    The bytes that it read show this, less those of its own files: the program may send by calls that write nothing
    (vmsplice).
    """
    if interactor.ending in (Ending.EXITED, Ending.SIGNALLED):
        return False
    return interactor.io.read_bytes - sum(path.stat().st_size for path in (case.input, case.answer)) > output_bytes


def missed_its_partner(interactor: Outcome, stderr: str) -> bool:
    """Return whether it failed for want of a partner: SIGPIPE, or Python's reaction to a closed pipe."""
    if interactor.ending is Ending.SIGNALLED:
        return interactor.signal == signal.SIGPIPE
    return interactor.ending is Ending.EXITED and _ALONE.search(stderr) is not None


def check_interactor(interactor: OpenValidator, cases: list[TestCase]) -> None:
    """Run it alone, as if the submission had ended silently. Raises PackageError when it gives no judgement.

    It may miss its partner: that is no fault of its.
    """
    for case in cases:
        with blaming_package(case):
            outcome = interactor.jail.run(interactor.command(case), interactor.limits)
        if interactor.judgement(case, outcome) is None and not missed_its_partner(outcome, interactor.stderr()):
            raise interactor.failure(case, outcome, SILENT)


def _real(jail: Jail) -> OpenJail:
    if not isinstance(jail, OpenJail):
        raise TypeError("only the real sandbox can join two programs")
    return jail
