"""The reruns that a verdict suggests, made in this process and without rows, one after the other."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from django.utils.module_loading import import_string

from judge.grading.events import CaseJudged, GradingFinished, GradingJob, RerunEnded, RerunEvidence
from judge.grading.explain.evidence.facts import Facts
from judge.grading.reruns.reasons import REFUSED, leftover_lines
from judge.reruns.explaining import Told, explained_after
from judge.reruns.kinds import RerunKind
from judge.reruns.suggestions import Concluded
from sandbox.types import Profile, Sandbox

Runner = Callable[[GradingJob, str, Sandbox, Path], RerunEnded[Any]]
RUNNERS: dict[RerunKind, Runner] = {kind: import_string(kind.record.runner) for kind in RerunKind}


@dataclass(kw_only=True)
class Examination:
    """A judged program whose reruns are made here. `event`: its verdict, with the findings as they are by now.

    `facts`: those that rules know late (`judge.grading.submission.conclusion.facts_of`).
    """

    job: GradingJob
    sandbox: Sandbox
    work_root: Path
    cases: Sequence[CaseJudged]
    facts: Facts
    event: GradingFinished
    profiles: dict[str, Profile] = field(default_factory=dict)
    reruns: dict[str, RerunEvidence] = field(default_factory=dict)
    _made: set[tuple[RerunKind, str]] = field(default_factory=set, init=False)

    def suggested(self) -> Iterator[tuple[RerunKind, RerunEnded[Any]]]:
        """Make the reruns that the findings suggest, also those that they suggest later."""
        while case := next(self._suggestions(), None):
            yield case[0], self.rerun(*case)

    def rerun(self, kind: RerunKind, case_name: str) -> RerunEnded[Any]:
        """Make a rerun, and note what it told. Raises SandboxError."""
        self._made.add((kind, case_name))
        case = next(case for case in self.cases if case.name == case_name)
        job = replace(
            self.job,
            judged_wall_us=case.usage.wall_time_us,
            judged_cases=tuple(case.name for case in self.cases),
            found=tuple(finding.code for finding in self.event.explanation),
            is_refused=case.verdict in REFUSED,
            leftover_lines=leftover_lines(self.event.explanation),
        )
        ended = RUNNERS[kind](job, case_name, self.sandbox, self.work_root)
        if kind is RerunKind.PROFILE:
            self.profiles |= {case_name: ended.result} if ended.result else {}
            self._explain(kind, case_name)
        elif kind.record.is_evidence and ended.result is not None:
            kept = self.reruns.get(case_name, RerunEvidence())
            self.reruns[case_name] = replace(kept, **{kind.record.column: ended.result})
            self._explain(kind, case_name)
        return ended

    def _suggestions(self) -> Iterator[tuple[RerunKind, str]]:
        package = self.job.package
        concluded = Concluded(
            event=self.event,
            language=self.job.language,
            time_limit_ms=package.limits.time_limit_ms,
            is_interactive=package.is_interactive,
            read_cases=lambda: self.cases,
            shows_fixes=lambda: True,
        )
        for kind in RerunKind:
            serves = kind.serves_program(self.job.language, package.is_interactive, package.most_passes)
            for name in kind.record.suggested(concluded) if serves else ():
                if (kind, name) not in self._made:
                    yield kind, name

    def _explain(self, kind: RerunKind, case_name: str) -> None:
        told = Told(profiles=self.profiles, reruns=self.reruns, awaited=self.event.awaits)
        explanation = explained_after(kind, case_name, self.event.explanation, self.facts, told)
        self.event = replace(self.event, explanation=explanation.findings, awaits=explanation.awaits)
