"""A changed source for its author: what was changed, what it gained, and whether it would be accepted.

Only what was run is claimed. Numbers of hidden cases are rounded like those of the judged run, and cases are named only
for readers who see all verdicts.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass

from django.urls import reverse
from django.utils.safestring import SafeString
from django.utils.translation import gettext as _, gettext_noop, ngettext

from judge.grading.events import FixedRun, MeasuredRun, RunsOfCase
from judge.grading.fixes import LEFTOVER, change_of
from judge.grading.margin import Standing, standing
from judge.grading.reruns.reasons import TOO_SLOW
from judge.grading.verdicts import Verdict
from judge.grading.words import percent
from judge.models import Submission, TestCaseResult
from web.access.rounding import Rounding
from web.presentation.compare.line_diff import DiffBlock, difference
from web.presentation.units import count, duration, limit, per_cent
from web.presentation.visible import with_code

_OWN_PERCENT = 70  # of the CPU time outside the kernel: from here on the rest is called the program's own computation
_MANY_CALLS = 10_000
_LEAST_SPREAD = 1.1  # the slowest of several runs took so many times the fastest: then both are shown
_HUNK = re.compile(r"@@ -(?P<line>[0-9]+)")
_IDENTICAL = {  # whether stderr was compared too
    True: gettext_noop("Every byte on stdout and stderr, and the exit code, is the same as that of your program."),
    False: gettext_noop(
        "Every byte on stdout, and the exit code, is the same as that of your program; stderr was not compared."
    ),
}


@dataclass(frozen=True, kw_only=True, slots=True)
class FixView:
    """A fix for one reader. `blocks` is None if the sources are too long to match line by line."""

    measured: str
    claim: str  # "": your program is accepted as it is
    next: SafeString  # what it still spends its time on; "": it would be accepted, or that is not known
    changes: list[SafeString]
    how: list[str]  # how far it was checked
    blocks: list[DiffBlock] | None
    edit_address: str


def fix_view(
    submission: Submission, result: TestCaseResult, rounding: Rounding, *, names_cases: bool
) -> FixView | None:
    """Return the fix that was tried on a case; None when there is none. `names_cases`: as this reader sees verdicts."""
    fix = result.fix
    version = submission.problem_version
    if fix is None:
        return None
    address, limit_us = reverse("problem", args=[submission.problem.slug]), 1_000 * version.time_limit_ms
    return FixView(
        measured=(
            _right(fix, names_cases=names_cases) if LEFTOVER.code in fix.codes else _measured(fix, limit_us, rounding)
        ),
        claim="" if submission.verdict == Verdict.AC else _claim(fix, limit_us, rounding, names_cases=names_cases),
        next=with_code(_next(fix, result.name, limit_us, rounding)),
        changes=[with_code(_(change)) for code in fix.codes if (change := change_of(submission.language, code))],
        how=_how(fix, tells_cases=names_cases or fix.verdict is Verdict.AC),
        blocks=difference(submission.source_text, fix.source),
        edit_address=f"{address}?fix={result.pk}",
    )


def _right(fix: FixedRun, *, names_cases: bool) -> str:
    """Return on how many cases the output is right without the prints that were left out."""
    lines = lines_left_out(fix.diff)
    names = {"lines": ", ".join(map(str, lines)), "right": count(fix.right), "cases": count(fix.cases)}
    if fix.verdict is Verdict.AC:
        words = ngettext(
            "Without line %(lines)s the output is right on all test cases (%(cases)s).",
            "Without lines %(lines)s the output is right on all test cases (%(cases)s).",
            len(lines),
        )
    elif names_cases and fix.run == fix.cases:
        words = ngettext(
            "Without line %(lines)s the output is right on %(right)s of %(cases)s test cases.",
            "Without lines %(lines)s the output is right on %(right)s of %(cases)s test cases.",
            len(lines),
        )
    else:
        words = ngettext(
            "Without line %(lines)s the output of this test case is right.",
            "Without lines %(lines)s the output of this test case is right.",
            len(lines),
        )
    return words % names


def _measured(fix: FixedRun, limit_us: int, rounding: Rounding) -> str:
    writes, before = (rounding.write_calls(run.io.write_calls) for run in (fix.fixed, fix.plain))
    if fix.plain.verdict is Verdict.SLE:
        return _calls_instead(fix, rounding)
    times = {
        "fixed": _times(fix.fixed, _runs_of(fix), rounding),
        "plain": _times(fix.plain, fix.plain_times_us, rounding),
    }
    lines = lines_left_out(fix.diff)
    if lines and _standing(fix, limit_us) is Standing.WITHIN and fix.verdict is Verdict.AC:
        return ngettext(
            "Without line %(lines)s: %(fixed)s, accepted.", "Without lines %(lines)s: %(fixed)s, accepted.", len(lines)
        ) % {**times, "lines": ", ".join(map(str, lines))}
    if not fix.is_whole:
        return _("Measured: %(fixed)s. As it was sent, the program did not end within %(plain)s.") % times
    if before > 2 * writes and before > _MANY_CALLS:
        words = ngettext(
            "Measured: %(fixed)s instead of %(plain)s, with %(calls)s write call instead of %(before)s.",
            "Measured: %(fixed)s instead of %(plain)s, with %(calls)s write calls instead of %(before)s.",
            writes,
        )
        return words % {**times, "calls": count(writes), "before": count(before)}
    return _("Measured: %(fixed)s instead of %(plain)s.") % times


def _calls_instead(fix: FixedRun, rounding: Rounding) -> str:
    """Return how many calls there are now, of a program that made too many."""
    limit = rounding.write_calls_limit
    calls, before = (rounding.write_calls(run.io.write_calls) for run in (fix.fixed, fix.plain))
    if fix.fixed.io.write_calls == fix.plain.io.write_calls:
        reads, reads_before = (rounding.read_calls(run.io.read_calls) for run in (fix.fixed, fix.plain))
        words = ngettext(
            "Measured: %(calls)s read call instead of %(before)s.",
            "Measured: %(calls)s read calls instead of %(before)s.",
            reads,
        )
        return words % {"calls": count(reads), "before": count(reads_before)}
    if limit:
        words = ngettext(
            "Measured: %(calls)s write call instead of %(before)s; the limit is %(limit)s.",
            "Measured: %(calls)s write calls instead of %(before)s; the limit is %(limit)s.",
            calls,
        )
        return words % {"calls": count(calls), "before": count(before), "limit": count(limit)}
    words = ngettext(
        "Measured: %(calls)s write call instead of %(before)s.",
        "Measured: %(calls)s write calls instead of %(before)s.",
        calls,
    )
    return words % {"calls": count(calls), "before": count(before)}


def _times(median: MeasuredRun, times_us: Sequence[int], rounding: Rounding) -> str:
    """Return the median's time, and from what to what the runs went where they differ."""
    median_words = duration(rounding.cpu_time_us(median.usage.cpu_time_us))
    fastest, slowest = (duration(rounding.cpu_time_us(pick(times_us, default=0))) for pick in (min, max))
    if len(times_us) < 2 or max(times_us) < _LEAST_SPREAD * min(times_us) or fastest == slowest:
        return median_words
    return _("%(median)s (%(fastest)s to %(slowest)s in %(runs)s runs)") % {
        "median": median_words,
        "fastest": fastest,
        "slowest": slowest,
        "runs": count(len(times_us)),
    }


def _runs_of(fix: FixedRun) -> Sequence[int]:
    """Return the times on the case that decides; of older rows there is one."""
    return fix.runs[0].cpu_times_us if fix.runs else (fix.fixed.usage.cpu_time_us,)


def _slowest_runs(fix: FixedRun) -> Sequence[int]:
    """Return the times on the case, of those that were run several times, that took longest."""
    return max((runs.cpu_times_us for runs in fix.runs), key=max, default=_runs_of(fix))


def _standing(fix: FixedRun, limit_us: int) -> Standing:
    """Return how all runs together stand: within the limit only if each case's are."""
    runs = fix.runs or (RunsOfCase(name="", cpu_times_us=tuple(_runs_of(fix)), over=int(fix.verdict is Verdict.TLE)),)
    standings = {standing(of_case.cpu_times_us, of_case.over, limit_us) for of_case in runs}
    return next(worst for worst in (Standing.OVER, Standing.NEAR, Standing.WITHIN) if worst in standings)


def _claim(fix: FixedRun, limit_us: int, rounding: Rounding, *, names_cases: bool) -> str:
    verdict = fix.verdict
    if verdict is None and not names_cases:
        return _("Not all test cases were run, so it is not known whether it would be accepted.")
    if verdict is None:
        return ngettext(
            "Only %(run)s of %(cases)s test case was run, so it is not known whether it would be accepted.",
            "Only %(run)s of %(cases)s test cases were run, so it is not known whether it would be accepted.",
            fix.cases,
        ) % {"run": count(fix.run), "cases": count(fix.cases)}
    limit_words = limit(limit_us // 1_000)
    if verdict is Verdict.AC and _standing(fix, limit_us) is not Standing.WITHIN:
        return _("Too near the limit of %(limit)s to tell whether it would be accepted.") % {"limit": limit_words}
    if verdict is Verdict.AC and fix.plain.verdict is Verdict.SLE:
        return _("It would be accepted.")
    if verdict is Verdict.AC:
        runs = _slowest_runs(fix)
        slowest = duration(rounding.cpu_time_us(max(runs)))
        return ngettext(
            "It would be accepted: %(runs)s run took %(slowest)s; the limit is %(limit)s.",
            "It would be accepted: the slowest of %(runs)s runs took %(slowest)s; the limit is %(limit)s.",
            len(runs),
        ) % {"runs": count(len(runs)), "slowest": slowest, "limit": limit_words}
    sentence = _(verdict.record.when_buffered)
    if not names_cases:
        return sentence
    where = _("That is so on %(case)s.") % {"case": fix.failed_case}
    return f"{sentence} {where}"


def _next(fix: FixedRun, case: str, limit_us: int, rounding: Rounding) -> str:
    """Return what the changed program spends its time on, where that is too much or may be; else ""."""
    is_slow = fix.verdict in TOO_SLOW and fix.failed_case == case
    if not is_slow and (fix.verdict is not Verdict.AC or _standing(fix, limit_us) is Standing.WITHIN):
        return ""
    if fix.next_line is not None and fix.verdict is not Verdict.SLE:
        text = line_of(fix.source, fix.next_line.line)
        words = _("What takes its time now: line %(line)s of the changed source, with %(percent)s: %(source)s")
        return words % {
            "line": count(fix.next_line.line),
            "percent": per_cent(fix.next_line.percent),
            "source": f"`{text}`",
        }
    usage, io = fix.fixed.usage, fix.fixed.io
    user_us, cpu_us = rounding.time_us(usage.user_time_us), rounding.cpu_time_us(usage.cpu_time_us)
    writes, reads = rounding.write_calls(io.write_calls), rounding.count(io.read_calls)
    if percent(user_us, cpu_us) >= _OWN_PERCENT:
        words = _("What is left is the program's own computation: %(user)s of %(cpu)s is outside of the kernel.")
        if duration(user_us) == duration(cpu_us):
            words = _("What is left is the program's own computation: %(cpu)s.")
        return words % {"user": duration(user_us), "cpu": duration(cpu_us)}
    if writes > _MANY_CALLS:
        words = ngettext("It still makes %(calls)s write call.", "It still makes %(calls)s write calls.", writes)
        return words % {"calls": count(writes)}
    if reads > _MANY_CALLS:
        words = ngettext("It still makes %(calls)s read call.", "It still makes %(calls)s read calls.", reads)
        return words % {"calls": count(reads)}
    return ""


def lines_left_out(diff: Sequence[str]) -> list[int]:
    """Return the lines that a unified diff takes out of the source, from 1; none if it puts anything in."""
    lines, line = [], 0
    for row in diff:
        hunk = _HUNK.match(row)
        if hunk is not None:
            line = int(hunk["line"])
        elif row.startswith("+"):
            return []
        else:
            lines += [line] if row.startswith("-") else []
            line += 1
    return lines


def line_of(source: str, number: int) -> str:
    """Return a line of a source without the blanks around it; "" if there is none."""
    lines = source.splitlines()
    return lines[number - 1].strip() if 0 < number <= len(lines) else ""


def _how(fix: FixedRun, *, tells_cases: bool) -> list[str]:
    """Return how the fix was checked. `tells_cases`: on how many cases, which tells the first that is not accepted."""
    same = [_(_IDENTICAL[fix.has_all_stderr])] if fix.compared > fix.stopped else []
    if fix.stopped or not fix.is_whole:
        same.append(
            _(
                "Where your program did not end, all that it wrote until then is the beginning of what the other "
                "wrote, and the checker decided about the rest."
            )
        )
    if not tells_cases:
        return [_("The changed program was compiled and run on the same core, until a case was not accepted."), *same]
    ran = ngettext(
        "The changed program was compiled and run on %(run)s of %(cases)s test case, on the same core.",
        "The changed program was compiled and run on %(run)s of %(cases)s test cases, on the same core.",
        fix.cases,
    ) % {"run": count(fix.run), "cases": count(fix.cases)}
    if not fix.compared:
        return [ran, _("It is meant to print something else than yours, so the checker alone decided.")]
    compared = ngettext(
        "On %(compared)s of them it was compared with your program.",
        "On %(compared)s of them it was compared with your program.",
        fix.compared,
    ) % {"compared": count(fix.compared)}
    return [ran, compared, *same]
