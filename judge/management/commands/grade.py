"""`manage.py grade PACKAGE SOURCE`: grade one submission without server or database."""

import json
from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from judge.grading import grading
from judge.grading.events import CaseProfiled, GradingFinished, GradingJob, ProfilePolicy
from judge.grading.languages import LANGUAGES
from judge.grading.verdicts import Verdict
from judge.grading.words import time_limit
from judge.management import report
from judge.management.terminal import (
    FAULT,
    GradingCommand,
    Refused,
    choose_language,
    open_package,
    open_sandbox,
    read_source,
)
from problems.encodings import title_of


class Command(GradingCommand):
    """Failures that are not the contestant's go to stderr."""

    exit_codes = (
        "0: graded, whatever the verdict; 1: the package is at fault; 2: usage; 3: the sandbox failed, which is no "
        "fault of the package."
    )
    help = "Grade one source file on a problem package, without server or database."

    def add_arguments(self, parser: ArgumentParser) -> None:
        """Add the command's arguments."""
        parser.add_argument("package", type=Path, metavar="PACKAGE", help="a problem package: a folder or a zip")
        parser.add_argument("source", type=Path, metavar="SOURCE", help="the program to grade")
        parser.add_argument("--language", choices=list(LANGUAGES), help="default: by the file's extension")
        parser.add_argument(
            "--profile",
            choices=[policy.value for policy in (ProfilePolicy.SLOWEST, ProfilePolicy.ALL, ProfilePolicy.NONE)],
            default=ProfilePolicy.SLOWEST.value,
            help="test cases whose system calls are counted by name (default: %(default)s)",
        )
        parser.add_argument("--json", action="store_true", help="print JSON: times in microseconds, sizes in bytes")

    def handle(self, *args: Any, **options: Any) -> None:
        """Grade and print; report on stderr what is not the contestant's fault."""
        with self.fail_plainly(), open_package(options["package"]) as package:
            language = choose_language(options["language"], options["source"])
            source = read_source(options["source"], language, package)
            if source.original is not None:
                self.complain(f"the source is in {title_of(source.encoding)}: it is compiled as UTF-8")
            job = GradingJob(
                package=package,
                language=language.id,
                source=source.content,
                file_name=options["source"].name,
                profile=ProfilePolicy(options["profile"]),
            )
            events = list(grading.grade(job, *open_sandbox()))
            if options["json"]:
                self.stdout.write(json.dumps(report.grading_as_json(package, language, events), indent=2))
            else:
                self.say(report.grading_as_text(package, language, events))
            if not package.is_time_limit_given:
                self.complain(
                    f"the package gives no time limit: {time_limit(package.limits.time_limit_ms)} was used; "
                    f"manage.py verify {options['package']} finds the one that follows from its jury submissions"
                )
            self._warn_of_missing_counts(events if options["json"] else [])
            finished = events[-1]
            if isinstance(finished, GradingFinished) and finished.verdict is Verdict.JE:
                raise Refused(FAULT, package.told(finished.judge_message))

    def _warn_of_missing_counts(self, events: list[Any]) -> None:
        for event in events:
            if isinstance(event, CaseProfiled) and event.problem:
                self.complain(f"no system calls by name for {event.name}: {event.problem}")
