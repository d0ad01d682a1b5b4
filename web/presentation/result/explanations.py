"""What is said of a submission beyond its verdict: the findings that one reader may see, and what is still to come."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

from django.utils.html import format_html
from django.utils.safestring import SafeString
from django.utils.translation import gettext as _

from judge.grading.events import Finding
from judge.grading.fixes import has_remedy
from judge.grading.languages import LANGUAGES
from judge.models import ExplanationLevel, Submission
from judge.reruns.kinds import RerunKind
from judge.submissions.growth_requests import keeper
from web.access.rounding import Rounding
from web.presentation.result.case import CaseView
from web.presentation.result.cases import Cases
from web.presentation.result.findings import FindingView, finding_views
from web.presentation.result.reader import Reader, level_sentence, shown_findings

_SAID_BY_THE_VERDICT = frozenset({"compile", "judge-error"})
SUMMARY, POINTS = "summary", "points"  # said by the page's head


@dataclass(frozen=True, kw_only=True)
class Explanations:
    """The findings about a submission for one reader."""

    submission: Submission
    reader: Reader
    cases: Cases

    @cached_property
    def findings(self) -> list[FindingView]:
        """What there is to say beyond the page's head, without a growth that extra runs tell better."""
        elsewhere = (SUMMARY, POINTS, "growth") if self.growth else (SUMMARY, POINTS)
        views = shown_findings(self._views, self.reader.level)
        return [finding for finding in views if finding.code not in elsewhere]

    def html_of(self, code: str) -> SafeString:
        """Return the sentence of a finding; empty without it."""
        views = shown_findings(self._views, self.reader.level)
        return next((finding.html for finding in views if finding.code == code), SafeString())

    @cached_property
    def growth(self) -> FindingView | None:
        """The growth of the program's time by extra runs."""
        # All its numbers are those of secret inputs, generated or not: not for who sees no numbers of secret cases.
        case = None if self.reader.visibility.is_restricted else keeper(self.reader.results)
        return next(iter(self._worded([case.growth], {})), None) if case and case.growth else None

    @property
    def with_remedy(self) -> CaseView | None:
        """The case of the first finding that some fix answers."""
        return self.first_case(lambda finding: has_remedy(self.submission.language, finding.code))

    def first_case(self, is_meant: Callable[[Finding], bool]) -> CaseView | None:
        """Return the case of the first such finding, if this reader sees its numbers."""
        name = next((finding.evidence.get("test_case") for finding in self._stored if is_meant(finding)), None)
        return next((case for case in self.cases.measured if case.name == name), None)

    @property
    def limit(self) -> str:
        """What the reader's instructor does not show, where there would be something; "": nothing."""
        level = self.reader.level
        if not self.submission.is_done or (level is ExplanationLevel.LINE and self.with_remedy is None):
            return ""
        explains = len(self._views) > len(shown_findings(self._views, ExplanationLevel.NOTHING))
        return level_sentence(level) if explains else ""

    @cached_property
    def to_count(self) -> SafeString:
        """Which findings wait for calls by name of a case whose numbers this reader sees; empty: none."""
        waiting = [case for case in self.cases.measured if case.name in self.submission.awaits_counts]
        if not (self.submission.is_done and waiting and self.reader.level.reaches(ExplanationLevel.CAUSE)):
            return SafeString()
        counting = next((case for case in waiting if case.asked[RerunKind.PROFILE].state == "pending"), None)
        case = counting or waiting[0]
        sentence = (
            _("More findings may follow: the system calls of {case} are being counted by name in one more run.")
            if counting
            else _(
                "More findings may follow when the system calls of {case} are counted by name. Open the test case to "
                "have them counted."
            )
        )
        return format_html(sentence, case=format_html('<a href="#case-{}-more">{}</a>', case.number, case.name))

    @cached_property
    def _stored(self) -> list[Finding]:
        """The findings that say more than the verdict above them, the cause first."""
        sees, results = self.reader.visibility, self.reader.results
        news = (finding for finding in self.submission.findings if finding.code not in _SAID_BY_THE_VERDICT)
        return [finding for finding in news if sees.sees_finding(finding, results)]

    @cached_property
    def _views(self) -> list[FindingView]:
        sees, version = self.reader.visibility, self.submission.problem_version
        return self._worded(self._stored, {case.name: sees.rounding_of(case, version) for case in self.reader.results})

    def _worded(self, findings: Sequence[Finding], of_cases: Mapping[str, Rounding]) -> list[FindingView]:
        of_others = self.reader.visibility.rounding_of_hidden(self.submission.problem_version)
        return finding_views(findings, of_cases, of_others, LANGUAGES.get(self.submission.language))
