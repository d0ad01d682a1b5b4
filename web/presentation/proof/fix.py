"""A changed source for its author: what was changed, what it gained, and whether it would be accepted.

Only what was run is claimed. Numbers of hidden cases are rounded like those of the judged run, and cases are named only
for readers who see all verdicts.
"""

from dataclasses import dataclass

from django.urls import reverse
from django.utils.safestring import SafeString
from django.utils.translation import gettext as _, gettext_noop, ngettext

from judge.grading.events import FixedRun
from judge.grading.fixes import change_of
from judge.grading.reruns.reasons import TOO_SLOW
from judge.grading.verdicts import Verdict
from judge.grading.words import percent
from judge.models import Submission, TestCaseResult
from web.access.rounding import Rounding
from web.presentation.compare.line_diff import DiffBlock, difference
from web.presentation.units import count, duration
from web.presentation.visible import with_code

_OWN_PERCENT = 70  # of the CPU time outside the kernel: from here on the rest is called the program's own computation
_MANY_CALLS = 10_000
_IDENTICAL = {  # whether stderr was compared too
    True: gettext_noop("Every byte on stdout and stderr, and the exit code, is the same as that of your program."),
    False: gettext_noop(
        "Every byte on stdout, and the exit code, is the same as that of your program; stderr has less on it."
    ),
}


@dataclass(frozen=True, kw_only=True, slots=True)
class FixView:
    """A fix for one reader. `blocks` is None if the sources are too long to match line by line."""

    measured: str
    claim: str
    next: str  # what it still spends its time on; "": it would be accepted, or that is not known
    changes: list[SafeString]
    how: list[str]  # how far it was checked
    blocks: list[DiffBlock] | None
    edit_address: str


def fix_view(
    submission: Submission, result: TestCaseResult, rounding: Rounding, *, names_cases: bool
) -> FixView | None:
    """Return the fix that was tried on a case; None when there is none. `names_cases`: as this reader sees verdicts."""
    fix = result.fix
    if fix is None:
        return None
    address = reverse("problem", args=[submission.problem.slug])
    return FixView(
        measured=_measured(fix, rounding),
        claim=_claim(fix, names_cases=names_cases),
        next=_next(fix, rounding) if fix.verdict in TOO_SLOW and fix.failed_case == result.name else "",
        changes=[with_code(_(change)) for code in fix.codes if (change := change_of(submission.language, code))],
        how=_how(fix, tells_cases=names_cases or fix.verdict is Verdict.AC),
        blocks=difference(submission.source_text, fix.source),
        edit_address=f"{address}?fix={result.pk}",
    )


def _measured(fix: FixedRun, rounding: Rounding) -> str:
    fixed_us, plain_us = (rounding.cpu_time_us(run.usage.cpu_time_us) for run in (fix.fixed, fix.plain))
    times = {"fixed": duration(fixed_us), "plain": duration(plain_us)}
    if not fix.is_whole:
        return _("Measured: %(fixed)s. As it was sent, the program did not end within %(plain)s.") % times
    calls, before = (rounding.write_calls(run.io.write_calls) for run in (fix.fixed, fix.plain))
    if before > 2 * calls and before > _MANY_CALLS:
        words = ngettext(
            "Measured: %(fixed)s instead of %(plain)s, with %(calls)s write call instead of %(before)s.",
            "Measured: %(fixed)s instead of %(plain)s, with %(calls)s write calls instead of %(before)s.",
            calls,
        )
        return words % {**times, "calls": count(calls), "before": count(before)}
    return _("Measured: %(fixed)s instead of %(plain)s.") % times


def _claim(fix: FixedRun, *, names_cases: bool) -> str:
    verdict = fix.verdict
    if verdict is None and not names_cases:
        return _("Not all test cases were run, so it is not known whether it would be accepted.")
    if verdict is None:
        return ngettext(
            "Only %(run)s of %(cases)s test case was run, so it is not known whether it would be accepted.",
            "Only %(run)s of %(cases)s test cases were run, so it is not known whether it would be accepted.",
            fix.cases,
        ) % {"run": count(fix.run), "cases": count(fix.cases)}
    if verdict is Verdict.AC:
        return _("It would be accepted.")
    sentence = _(verdict.record.when_buffered)
    if not names_cases:
        return sentence
    where = _("That is so on %(case)s.") % {"case": fix.failed_case}
    return f"{sentence} {where}"


def _next(fix: FixedRun, rounding: Rounding) -> str:
    """Return what the changed program spends its time on, by the numbers that this reader sees."""
    usage, io = fix.fixed.usage, fix.fixed.io
    user_us, cpu_us = rounding.time_us(usage.user_time_us), rounding.cpu_time_us(usage.cpu_time_us)
    writes, reads = rounding.write_calls(io.write_calls), rounding.count(io.read_calls)
    if percent(user_us, cpu_us) >= _OWN_PERCENT:
        words = _("What is left is the program's own computation: %(user)s of %(cpu)s is outside of the kernel.")
        return words % {"user": duration(user_us), "cpu": duration(cpu_us)}
    if writes > _MANY_CALLS:
        words = ngettext("It still makes %(calls)s write call.", "It still makes %(calls)s write calls.", writes)
        return words % {"calls": count(writes)}
    if reads > _MANY_CALLS:
        words = ngettext("It still makes %(calls)s read call.", "It still makes %(calls)s read calls.", reads)
        return words % {"calls": count(reads)}
    return ""


def _how(fix: FixedRun, *, tells_cases: bool) -> list[str]:
    """Return how the fix was checked. `tells_cases`: on how many cases, which tells the first that is not accepted."""
    same = [_(_IDENTICAL[fix.has_all_stderr])]
    if not fix.is_whole:
        same.append(
            _("Where your program did not end, all that it wrote until then is the beginning of what the other wrote.")
        )
    if not tells_cases:
        return [_("The changed program was compiled and run on the same core, until a case was not accepted."), *same]
    ran = ngettext(
        "The changed program was compiled and run on %(run)s of %(cases)s test case, on the same core.",
        "The changed program was compiled and run on %(run)s of %(cases)s test cases, on the same core.",
        fix.cases,
    ) % {"run": count(fix.run), "cases": count(fix.cases)}
    compared = ngettext(
        "On %(compared)s of them it was compared with your program.",
        "On %(compared)s of them it was compared with your program.",
        fix.compared,
    ) % {"compared": count(fix.compared)}
    return [ran, compared, *same]
