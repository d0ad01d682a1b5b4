"""`manage.py grade PACKAGE SOURCE`: one submission, graded here and now, without server or database."""

import json
from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from judge import grading, report
from judge.events import GradingFinished, GradingJob, ProfilePolicy, TestCaseProfiled
from judge.languages import LANGUAGES
from judge.management.terminal import (
    FAULT,
    GradingCommand,
    Refused,
    choose_language,
    open_package,
    open_sandbox,
    read_source,
)
from judge.verdicts import Verdict


class Command(GradingCommand):
    """Exit 0: graded, whatever the verdict; 1: the package's fault or ours, said on stderr; 2: usage."""

    help = "Grade one source file on a problem package, without server or database."

    def add_arguments(self, parser: ArgumentParser) -> None:
        """The command's arguments."""
        parser.add_argument("package", type=Path, metavar="PACKAGE", help="a problem package: a folder or a zip")
        parser.add_argument("source", type=Path, metavar="SOURCE", help="the program to grade")
        parser.add_argument("--language", choices=list(LANGUAGES), help="default: by the file's extension")
        parser.add_argument(
            "--profile",
            choices=[policy.value for policy in ProfilePolicy],
            default=ProfilePolicy.SLOWEST.value,
            help="which test cases get their system calls counted by name (default: %(default)s)",
        )
        parser.add_argument("--json", action="store_true", help="print JSON: times in microseconds, sizes in bytes")

    def handle(self, *args: Any, **options: Any) -> None:
        """Grade, print, and say on stderr what is not the contestant's fault."""
        with self.fail_plainly(), open_package(options["package"]) as package:
            language = choose_language(options["language"], options["source"])
            job = GradingJob(
                package=package,
                language=language.id,
                source=read_source(options["source"], package),
                profile=ProfilePolicy(options["profile"]),
            )
            events = list(grading.grade(job, *open_sandbox()))
            if options["json"]:
                self.stdout.write(json.dumps(report.grading_as_json(package, language, events), indent=2))
            else:
                self.say(report.grading_as_text(package, language, events))
            self._warn_of_missing_counts(events if options["json"] else [])
            finished = events[-1]
            if isinstance(finished, GradingFinished) and finished.verdict is Verdict.JE:
                raise Refused(FAULT, finished.judge_message)

    def _warn_of_missing_counts(self, events: list[Any]) -> None:
        for event in events:
            if isinstance(event, TestCaseProfiled) and event.problem:
                self.complain(f"no system calls by name for {event.name}: {event.problem}")
