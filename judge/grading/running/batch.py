"""Run an ordinary case: input on stdin, output into a file, then the checker.

The ending decides first; only a clean exit leaves the verdict to the checker. What a program printed before it failed
is checked too, since its author wants to know whether only the end is wrong.
"""

from judge.grading.checkers.checking import Checker, blaming_package
from judge.grading.running.execution import Program, Run
from judge.grading.stages import Stage
from judge.grading.verdicts import Judgement, Verdict, verdict_of_ending
from problems.package import PackageError, TestCase
from sandbox.types import Outcome, Profile


class Batch:
    """A program and a checker: a `judge.grading.running.execution.PassRunner`."""

    def __init__(self, program: Program, checker: Checker) -> None:
        self._program = program
        self._checker = checker

    def run(self, case: TestCase, *, goes_on: bool = False) -> Run:
        """Run the program, then check its output. Raises PackageError for arguments or files that no jail accepts."""
        program = self._program
        with blaming_package(case), program.stopwatch.timed(Stage.RUN):
            outcome = program.jail.run(program.command(case, is_batch=True), program.run_limits)
        judgement = Judgement(is_accepted=False)
        verdict = verdict_of_ending(outcome)
        if verdict is None:
            with program.stopwatch.timed(Stage.CHECK):
                try:
                    judgement = self._checker.check(case, program.stdout, goes_on=goes_on)
                    verdict = judgement.verdict
                except PackageError as error:
                    verdict, judgement = Verdict.JE, Judgement(is_accepted=False, message=error.sentence)
        return Run(
            outcome=outcome,
            verdict=verdict,
            message=judgement.message,
            stdout=program.stdout,
            stderr=program.stderr,
            expected=case.answer,
            team_message=judgement.team_message,
            difference=judgement.difference,
            score=judgement.score,
            multiplier=judgement.multiplier,
            next_input=self._checker.next_input if verdict is Verdict.AC else None,
            is_output_right=self._is_right(case, outcome, verdict, goes_on=goes_on),
            slowest_pass_us=outcome.usage.cpu_time_us,
        )

    def profile(self, case: TestCase, *, goes_on: bool = False) -> Profile:
        """Run the program again under the meter."""
        program = self._program
        _, profile = program.jail.profile(program.command(case, is_batch=True), program.profile_limits)
        return profile

    def _is_right(self, case: TestCase, outcome: Outcome, verdict: Verdict, *, goes_on: bool) -> bool:
        """Return whether a program that failed had printed all that the case asks for."""
        if verdict is not Verdict.RE or not outcome.stdout_bytes:
            return False
        try:
            with self._program.stopwatch.timed(Stage.CHECK):
                judgement = self._checker.check(case, self._program.stdout, goes_on=goes_on)
        except PackageError:  # the verdict needs no checker
            return False
        return judgement.is_full and self._checker.next_input is None
