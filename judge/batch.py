"""The usual way to run a case: the input on stdin, the output into a file, the checker afterwards.

The ending decides first; only a clean exit leaves the verdict to the checker.
"""

from judge.checking import Checker
from judge.execution import Program, Run
from judge.verdicts import Verdict, verdict_of_ending
from problems.package import PackageError, TestCase
from sandbox.types import Outcome, Profile


class Batch:
    """A program and a checker: a `judge.execution.Runner`."""

    def __init__(self, program: Program, checker: Checker) -> None:
        self._program = program
        self._checker = checker

    def run(self, case: TestCase) -> Run:
        """Run the program, then check its output."""
        program = self._program
        outcome = program.jail.run(program.command(case.input), program.run_limits)
        verdict, message = self._rule(case, outcome)
        return Run(
            outcome=outcome,
            verdict=verdict,
            message=message,
            stdout=program.stdout,
            stderr=program.stderr,
            expected=case.answer,
        )

    def profile(self, case: TestCase) -> Profile:
        """Run the program once more under the meter."""
        program = self._program
        _, profile = program.jail.profile(program.command(case.input), program.profile_limits)
        return profile

    def _rule(self, case: TestCase, outcome: Outcome) -> tuple[Verdict, str]:
        verdict = verdict_of_ending(outcome)
        if verdict is not None:
            return verdict, ""
        try:
            judgement = self._checker.check(case, self._program.stdout)
        except PackageError as error:
            return Verdict.JE, str(error)
        return judgement.verdict, judgement.message
