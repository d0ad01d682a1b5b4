"""`manage.py grade PACKAGE SOURCE`: grade one submission without server or database."""

import json
from argparse import ArgumentParser
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from judge.grading.events import CaseProfiled, Event, GradingFinished, GradingJob, GroupJudged, ProfilePolicy
from judge.grading.languages import LANGUAGES, language_by_id
from judge.grading.submission import grading
from judge.grading.submission.conclusion import decide
from judge.grading.verdicts import Verdict
from judge.grading.words import time_limit
from judge.management import report, terminal
from problems.encodings import title_of

_COUNTING = "counting system calls, which waits until this machine grades nothing else"


class Command(terminal.GradingCommand):
    """Failures that are not the contestant's go to stderr."""

    exit_codes = (
        "0: graded, whatever the verdict; 1: the package is at fault; 2: usage; 3: the sandbox failed, which is no "
        "fault of the package; 130 or 143: it was interrupted (Ctrl-C, SIGTERM)."
    )
    help = "Grade one source file on a problem package, without server or database."

    def add_arguments(self, parser: ArgumentParser) -> None:
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
        with self.fail_plainly(), terminal.open_package(options["package"]) as package:
            language = terminal.choose_language(options["language"], options["source"])
            source = terminal.read_source(options["source"], language, package)
            if source.original is not None:
                self.complain(f"the source is in {title_of(source.encoding)}: it is compiled as UTF-8")
            job = GradingJob(
                package=package,
                language=language.id,
                source=source.content,
                file_name=options["source"].name,
                profile=ProfilePolicy(options["profile"]),
            )
            events = self._graded(job, options)
            if not package.is_time_limit_given:
                self.complain(
                    f"the package gives no time limit: {time_limit(package.limits.time_limit_ms)} was used; "
                    f"manage.py verify {options['package']} finds the one that follows from its jury submissions"
                )
            for event in events if options["json"] else ():
                if isinstance(event, CaseProfiled) and event.problem:
                    self.complain(f"no system calls by name for {event.name}: {event.problem}")
            finished = events[-1]
            if isinstance(finished, GradingFinished) and finished.verdict is Verdict.JE:
                raise terminal.Refused(terminal.FAULT, package.original(finished.judge_message))

    def _graded(self, job: GradingJob, options: dict[str, Any]) -> list[Event]:
        """Grade and print: as JSON at the end; as text the verdict as soon as it is known, the rest when it comes."""
        events: list[Event] = []
        printed: list[Verdict] = []

        def print_verdict(verdict: Verdict, groups: Sequence[GroupJudged]) -> None:
            self.say(report.judged_as_text(job.package, language_by_id(job.language), events, verdict, groups))
            self.stdout.flush()
            printed.append(verdict)

        def before_counts() -> None:
            if not options["json"]:
                verdict, _, scored = decide(job, events)
                print_verdict(verdict, scored.groups if scored else ())
            if self.stderr.isatty():
                self.complain(_COUNTING)

        for event in grading.grade(replace(job, before_counts=before_counts), *terminal.open_sandbox()):
            events.append(event)
            if isinstance(event, GradingFinished) and not options["json"]:
                if not printed:
                    print_verdict(event.verdict, event.groups)
                elif printed != [event.verdict]:  # the package failed while calls were counted
                    self.say(report.verdict_as_text(event.verdict))
                self.say(report.counted_as_text(language_by_id(job.language), events))
        if options["json"]:
            answer = report.grading_as_json(job.package, language_by_id(job.language), events)
            self.stdout.write(json.dumps(answer, indent=2))
        return events
