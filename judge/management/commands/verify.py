"""`manage.py verify PACKAGE`: verify a problem package without server or database."""

import json
from argparse import ArgumentParser
from dataclasses import replace
from pathlib import Path
from typing import Any

from judge.grading.verification.pictures import Drawer
from judge.grading.verification.verification import open_verification
from judge.grading.verification.verified import ReportRecord, Step, SubmissionRecord, unreadable_as_json
from judge.management import report, terminal
from problems.package import Package, PackageErrors
from problems.statement.rendering import render_drawn
from sandbox.errors import SandboxError
from sandbox.workdir import fresh_folder


class Command(terminal.GradingCommand):
    """After a sandbox failure or a signal, the measurements so far are printed as a partial report."""

    exit_codes = (
        "0: all was tried, and is as the package says; 1: the package is at fault, or something in it is not as it "
        "says; 2: usage; 3: the sandbox failed, which is no fault of the package; 130 or 143: it was interrupted "
        "(Ctrl-C, SIGTERM). With 3, 130 and 143 what was measured until then is printed, and marked as incomplete."
    )
    help = "Verify a problem package: its validators on its data, its jury submissions, its time limit."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("package", type=Path, metavar="PACKAGE", help="a problem package: a folder or a zip")
        parser.add_argument("--json", action="store_true", help="print JSON: times in microseconds, sizes in bytes")
        parser.add_argument(
            "--exclude",
            action="append",
            default=[],
            metavar="PATH",
            help="a jury submission, such as accepted/slow.py, to ignore for the time limit; can be repeated",
        )

    def handle(self, *args: Any, **options: Any) -> None:
        """Verify everything, print progress, and fail at the end after an error."""
        with self.fail_plainly():
            try:
                with terminal.open_package(options["package"]) as package:
                    report, code = self._verify(package, options)
            except PackageErrors as errors:
                self._print_unreadable(options, [str(error) for error in errors.errors])
                raise
            except SandboxError as error:
                self._print_unreadable(options, [], terminal.sandbox_failed(error))
                raise
            except terminal.Stopped as stop:
                self._print_unreadable(options, [], terminal.stopped_by(stop))
                raise terminal.Refused(terminal.SIGNALLED + stop.number, terminal.stopped_by(stop)) from stop
            if not report.ok:
                stopped = [f"not all was tried: {report.stopped}"] if report.stopped else []
                odd = [result.path for result in report.submissions if not result.ok]
                surprises = [f"not as expected: {', '.join(odd)}"] if odd else []
                raise terminal.Refused(code, *(f"error: {error}" for error in report.errors), *surprises, *stopped)

    def _verify(self, package: Package, options: dict[str, Any]) -> tuple[ReportRecord, int]:
        """Print the report, even a partial one; return the exit code unless it is 0."""
        exclude = frozenset(name.removeprefix("submissions/") for name in options["exclude"])
        width = max((len(submission.name) for submission in package.submissions), default=0)
        progress, code = terminal.ProgressLine(), terminal.FAULT
        sandbox, work_root = terminal.open_sandbox()
        with fresh_folder(work_root, "drawn-") as folder:
            _, page = render_drawn(package, Drawer(sandbox=sandbox, work_root=work_root).draw, folder)
        package = replace(package, warnings=(*package.warnings, *page.warnings))
        with open_verification(package, sandbox, work_root, exclude=exclude, watch=progress.case) as going:
            try:
                for event in going.run():
                    if isinstance(event, Step):
                        progress.step(event)
                    elif isinstance(event, ReportRecord):
                        outcome = event
                    elif not options["json"]:
                        progress.clear()
                        self._print_row(event, width)
            except SandboxError as error:
                outcome, code = going.report(terminal.sandbox_failed(error)), terminal.OURS
            except terminal.Stopped as stop:
                outcome, code = going.report(terminal.stopped_by(stop)), terminal.SIGNALLED + stop.number
        progress.clear()
        if options["json"]:
            self._print_json(outcome.as_json())
        else:
            for result in outcome.submissions if outcome.stopped else ():
                if result.verdict is None and result.cases:
                    self._print_row(result, width)
                    self.say(f"        {result.text}")
            self.say(report.verification_as_text(outcome))
        for warning in outcome.warnings:
            self.complain(f"warning: {warning}")
        return outcome, code

    def _print_unreadable(self, options: dict[str, Any], errors: list[str], stopped: str = "") -> None:
        if options["json"]:
            self._print_json(unreadable_as_json(options["package"].resolve().stem, errors, stopped))

    def _print_json(self, answer: dict[str, Any]) -> None:
        self.stdout.write(json.dumps(answer, indent=2))

    def _print_row(self, verified: SubmissionRecord, width: int) -> None:
        ok, name, *rest = report.verification_row(verified)
        self.say(f"{ok:6}  {name:{width}}  {'  '.join(rest)}")
        odd = verified.unexpected
        lines = f"on {odd.case}: {odd.stderr or odd.message}".splitlines() if odd else []
        for problem in (*verified.problems, verified.text, *lines) if verified.problems else ():
            self.say(f"        {problem}")
        self.stdout.flush()
