"""`manage.py verify PACKAGE`: all that can be tried of a problem package, without server or database."""

import json
import sys
from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from judge import report, verification
from judge.management.terminal import FAULT, GradingCommand, Refused, open_package, open_sandbox
from judge.verification.verified import Step, SubmissionVerified, VerificationReport, unreadable_as_json
from problems.files import printable
from problems.package import Package, PackageErrors

_WIDTH = 100  # of the line that shows the progress


class Command(GradingCommand):
    """Exit 0: the report has no error; 1: it has, or the package cannot be read, or the sandbox failed; 2: usage."""

    help = "Try all of a problem package: its validators on its data, its jury submissions, its time limit."

    def add_arguments(self, parser: ArgumentParser) -> None:
        """The command's arguments."""
        parser.add_argument("package", type=Path, metavar="PACKAGE", help="a problem package: a folder or a zip")
        parser.add_argument("--json", action="store_true", help="print JSON: times in microseconds, sizes in bytes")
        parser.add_argument(
            "--exclude",
            action="append",
            default=[],
            metavar="PATH",
            help="a jury submission, such as accepted/slow.py, that does not count when the time limit is found",
        )

    def handle(self, *args: Any, **options: Any) -> None:
        """Verify all, print as it goes, and fail at the end if there is an error."""
        with self.fail_plainly():
            try:
                with open_package(options["package"]) as package:
                    found = self._verify(package, options)
            except PackageErrors as errors:
                if options["json"]:
                    name = options["package"].resolve().stem
                    self._print_json(unreadable_as_json(name, [str(error) for error in errors.errors]))
                raise
            if not found.is_ok:
                raise Refused(FAULT, *(f"error: {error}" for error in found.errors), *_surprises(found))

    def _verify(self, package: Package, options: dict[str, Any]) -> VerificationReport:
        exclude = frozenset(name.removeprefix("submissions/") for name in options["exclude"])
        width = max((len(submission.name) for submission in package.submissions), default=0)
        for event in verification.verify(package, *open_sandbox(), exclude=exclude):
            self._show_progress(event)
            if isinstance(event, SubmissionVerified) and not options["json"]:
                self._print_row(event, width)
            if isinstance(event, VerificationReport):
                found = event
        if options["json"]:
            self._print_json(found.as_json())
        else:
            self.say(report.verification_as_text(found))
        for warning in found.warnings:
            self.complain(f"warning: {warning}")
        return found

    def _print_json(self, answer: dict[str, Any]) -> None:
        self.stdout.write(json.dumps(answer, indent=2))

    def _print_row(self, verified: SubmissionVerified, width: int) -> None:
        ok, name, *rest = report.verification_row(verified)
        self.say(f"{ok:6}  {name:{width}}  {'  '.join(rest)}")
        odd = verified.unexpected
        said = f"on {odd.case}: {odd.stderr or odd.message}".splitlines() if odd else []
        for problem in (*verified.problems, verified.sentence, *said) if verified.problems else ():
            self.say(f"        {problem}")

    def _show_progress(self, event: verification.Told) -> None:
        """The file that is looked at, on one line of a terminal that the next one replaces."""
        if not sys.stderr.isatty():
            return
        words = f"{event.phase} {event.done}/{event.total}  {printable(event.name)}" if isinstance(event, Step) else ""
        sys.stderr.write(f"\r{words[:_WIDTH]:{_WIDTH}}\r")
        sys.stderr.flush()


def _surprises(found: VerificationReport) -> list[str]:
    names = [one.submission.name for one in found.submissions if not one.is_as_expected]
    return [f"not as expected: {', '.join(names)}"] if names else []
