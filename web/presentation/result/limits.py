"""Leave out of a submission's explanations what an assignment does not show.

The four levels and what each shows are in docs/explain.md. What was measured is shown at each of them; only what is
said about it is not.
"""

from collections.abc import Sequence
from dataclasses import replace

from django.utils.safestring import SafeString
from django.utils.translation import gettext as _
from django.utils.translation import gettext_noop

from judge.grading.explain import REPEATING
from judge.models import ExplanationLevel, MeasuredCase
from judge.reruns.kinds import RerunKind
from web.presentation.result.findings import FindingView

_SENTENCES = {
    ExplanationLevel.NOTHING: gettext_noop("An open assignment with this problem shows no explanations."),
    ExplanationLevel.CAUSE: gettext_noop("An open assignment with this problem shows the cause only."),
    ExplanationLevel.LINE: gettext_noop(
        "An open assignment with this problem shows the cause and its lines, and no changed source."
    ),
}


def shows(level: ExplanationLevel, kind: RerunKind) -> bool:
    """Return whether a reader with this level sees what such a rerun tells, and may ask for one."""
    return level.reaches(kind.record.level)


def shown_findings(views: Sequence[FindingView], level: ExplanationLevel) -> list[FindingView]:
    """Return the findings as this level shows them: without their lines and advice, or none that explains."""
    if level.reaches(ExplanationLevel.LINE):
        return list(views)
    if level is ExplanationLevel.NOTHING:
        return [view for view in views if view.code in REPEATING]
    return [view if view.code in REPEATING else replace(view, advice=SafeString(), lines=()) for view in views]


def hide(results: Sequence[MeasuredCase], level: ExplanationLevel) -> None:
    """Take out of these rows, which are not saved, what the level does not show."""
    for kind in RerunKind:
        if not shows(level, kind):
            for result in results:
                kind.hide_of(result)


def sentence(level: ExplanationLevel) -> str:
    """Return what the page says about the limit; "" without one."""
    return _(_SENTENCES[level]) if level in _SENTENCES else ""
