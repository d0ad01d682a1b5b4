"""`manage.py grade PACKAGE SOURCE`: grade one submission without server or database."""

import json
from argparse import ArgumentParser
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

from judge.grading.events import (
    CaseJudged,
    CaseProfiled,
    CompileFinished,
    Event,
    GradingFinished,
    GradingJob,
    ProfilePolicy,
    RerunEnded,
)
from judge.grading.languages import LANGUAGES, Language, language_by_id
from judge.grading.reruns.reasons import worth_trying
from judge.grading.submission import grading
from judge.grading.submission.conclusion import Graded, facts_of
from judge.grading.verdicts import Verdict
from judge.grading.words import time_limit
from judge.management import report, reruns_report, terminal
from judge.management.reruns_report import Rerun
from judge.reruns.examination import Examination
from judge.reruns.kinds import RerunKind
from judge.reruns.suggestions import NOT_COMPUTING
from problems.encodings import title_of

_COUNTING = "counting system calls, which waits until this machine grades nothing else"
_POLICIES = (ProfilePolicy.NEEDED, ProfilePolicy.SLOWEST, ProfilePolicy.ALL, ProfilePolicy.NONE)


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
            choices=[policy.value for policy in _POLICIES],
            default=ProfilePolicy.NEEDED.value,
            help="test cases whose system calls are counted by name, after the verdict (default: %(default)s, those "
            "that the explanation depends on)",
        )
        parser.add_argument(
            "--explain",
            action="store_true",
            help="also make the reruns that a result page makes by itself, with the write calls by line and the growth "
            "where these may tell something",
        )
        parser.add_argument("--json", action="store_true", help="print JSON: times in microseconds, sizes in bytes")

    def handle(self, *args: Any, **options: Any) -> None:
        """Grade and print; report on stderr what is not the contestant's fault."""
        with self.fail_plainly(), terminal.open_package(options["package"]) as package:
            language = terminal.choose_language(options["language"], options["source"])
            source = terminal.read_source(options["source"], language, package)
            if source.original is not None:
                self.complain(f"the source is in {title_of(source.encoding)}: it is compiled as UTF-8")
            is_counted = options["profile"] != ProfilePolicy.NONE
            job = GradingJob(
                package=package,
                language=language.id,
                source=source.content,
                file_name=options["source"].name,
                profile=ProfilePolicy.LATER if is_counted else ProfilePolicy.NONE,
            )
            events = self._graded(job, options)
            if not package.is_time_limit_given:
                self.complain(
                    f"the package gives no time limit: {time_limit(package.limits.time_limit_ms)} was used; "
                    f"manage.py verify {options['package']} finds the one that follows from its jury submissions"
                )
            finished = events[-1]
            if isinstance(finished, GradingFinished) and finished.verdict is Verdict.JE:
                raise terminal.Refused(terminal.FAULT, package.original(finished.judge_message))

    def _graded(self, job: GradingJob, options: dict[str, Any]) -> list[Event]:
        """Grade and print: as JSON at the end; as text the verdict as soon as it is known, the rest when it comes."""
        sandbox, work_root = terminal.open_sandbox()
        language, is_text = language_by_id(job.language), not options["json"]
        events: list[Event] = list(grading.grade(job, sandbox, work_root))
        finished = events[-1]
        assert isinstance(finished, GradingFinished)
        if is_text:
            self.say(report.judged_as_text(job.package, language, events))
            self.say(report.findings_as_text(language, finished.explanation))
            self.stdout.flush()
        reruns = []
        for rerun, examined in self._rerun(job, events, options):
            reruns.append(rerun)
            if is_text:
                self._tell(language, finished, rerun, examined)
            elif rerun.kind is RerunKind.PROFILE and rerun.ended.problem:
                self.complain(f"no system calls by name for {rerun.ended.name}: {rerun.ended.problem}")
            finished = replace(finished, explanation=examined.explanation, awaits=examined.awaits)
        counted = [rerun.ended for rerun in reruns if isinstance(rerun.ended, CaseProfiled)]
        events[-1:] = [*counted, finished]
        if not is_text:
            answer = report.grading_as_json(job.package, language, events)
            if options["explain"]:
                answer["reruns"] = [reruns_report.as_json(rerun) for rerun in reruns]
            self.stdout.write(json.dumps(answer, indent=2))
        return events

    def _tell(self, language: Language, before: GradingFinished, rerun: Rerun, now: GradingFinished) -> None:
        """Print what a rerun told, and the findings that are new after it; all of them if one does not stand."""
        new = [finding for finding in now.explanation if finding not in before.explanation]
        parts = [reruns_report.as_text(language, rerun), report.findings_as_text(language, new)]
        if any(finding not in now.explanation for finding in before.explanation):
            parts[1:] = ["The findings after this:", report.findings_as_text(language, now.explanation)]
        for part in filter(None, parts):
            self.say(part)
        self.stdout.flush()

    def _rerun(
        self, job: GradingJob, events: list[Event], options: dict[str, Any]
    ) -> Iterator[tuple[Rerun, GradingFinished]]:
        """Make the reruns that were asked for; each comes with the findings after it."""
        judged = [event for event in events if isinstance(event, CaseJudged)]
        finished = events[-1]
        assert isinstance(finished, GradingFinished)
        if not finished.verdict.record.is_judged or not judged:
            return
        sandbox, work_root = terminal.open_sandbox()
        source = grading.source_of(job, sandbox, work_root)
        graded = Graded(job=job, events=judged, source=source)
        message = next((event.message for event in events if isinstance(event, CompileFinished)), "")
        examination = Examination(
            job=job,
            sandbox=sandbox,
            work_root=work_root,
            cases=judged,
            facts=facts_of(graded, finished.verdict, message),
            event=finished,
        )
        for kind, ended in self._made(examination, graded, options):
            yield Rerun(kind=kind, ended=ended), examination.event

    def _made(
        self, examination: Examination, graded: Graded, options: dict[str, Any]
    ) -> Iterator[tuple[RerunKind, RerunEnded[Any]]]:
        policy = ProfilePolicy(options["profile"])
        by_policy = replace(graded, job=replace(graded.job, profile=policy))
        names = [case.name for case in graded.judged if case.name in grading.names_to_profile(by_policy)]
        if names and self.stderr.isatty():
            self.complain(_COUNTING)
        for name in names:
            yield RerunKind.PROFILE, examination.rerun(RerunKind.PROFILE, name)
        if not options["explain"]:
            return
        yield from examination.suggested()
        for kind, name in _offered(examination):
            yield kind, examination.rerun(kind, name)


def _offered(examination: Examination) -> Iterator[tuple[RerunKind, str]]:
    """Return the reruns that a page offers beside those that come by themselves, and that may tell something."""
    findings = examination.event.explanation
    if small := worth_trying(findings):
        yield RerunKind.LINES, small
    if examination.event.verdict is Verdict.TLE and not any(finding.code in NOT_COMPUTING for finding in findings):
        yield RerunKind.GROWTH, max(examination.cases, key=lambda case: case.usage.cpu_time_us).name
