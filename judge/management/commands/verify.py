"""`manage.py verify PACKAGE`: every jury submission against the folder it lies in, without server or database."""

import json
from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from judge import report, verification
from judge.checking import check_validator
from judge.management.terminal import FAULT, GradingCommand, Refused, open_package, open_sandbox
from problems.package import PackageErrors


class Command(GradingCommand):
    """Exit 0: all as expected; 1: one is not, or the package is broken, or we are; 2: usage."""

    help = "Grade every jury submission of a problem package and compare with the folder it lies in."

    def add_arguments(self, parser: ArgumentParser) -> None:
        """The command's arguments."""
        parser.add_argument("package", type=Path, metavar="PACKAGE", help="a problem package: a folder or a zip")
        parser.add_argument("--json", action="store_true", help="print JSON: times in microseconds, sizes in bytes")

    def handle(self, *args: Any, **options: Any) -> None:
        """Verify all, print as it goes, and fail at the end if one was not as expected."""
        with self.fail_plainly(), open_package(options["package"]) as package:
            sandbox, work_root = open_sandbox()
            if errors := check_validator(package, sandbox, work_root):
                raise PackageErrors(errors)
            found = []
            for one in verification.verify(package, sandbox, work_root):
                found.append(one)
                if not options["json"]:
                    self._print(one, max(len(submission.name) for submission in package.submissions))
            if options["json"]:
                self.stdout.write(json.dumps(report.verification_as_json(package, found), indent=2))
            for warning in package.warnings:
                self.stderr.write(f"warning: {warning}")
            self._conclude(found)

    def _print(self, one: verification.Verification, width: int) -> None:
        ok, name, *rest = report.verification_row(one)
        self.stdout.write(f"{ok:6}  {name:{width}}  {'  '.join(rest)}")
        if not one.is_as_expected:
            self.stdout.write(f"        {one.sentence}")

    def _conclude(self, found: list[verification.Verification]) -> None:
        if all(one.verdict is None for one in found):
            raise Refused(FAULT, "the package has no jury submission that could be run: nothing is verified")
        surprises = [one.submission.name for one in found if not one.is_as_expected]
        if surprises:
            raise Refused(FAULT, f"not as expected: {', '.join(surprises)}")
