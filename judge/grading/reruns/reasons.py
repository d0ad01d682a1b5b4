"""When a rerun suggests itself: from findings and endings alone, without what carries it out."""

from collections.abc import Sequence

from judge.grading.case_ending import SHOWN_SIGNALS, CaseEnding
from judge.grading.events import Finding
from judge.grading.fixes import has_remedy
from judge.grading.languages import Language
from judge.grading.verdicts import Verdict

TOO_SLOW = frozenset({Verdict.TLE, Verdict.SLE})
REFUSED = frozenset({Verdict.WA, Verdict.OLE})  # for what it printed
LEFTOVERS = frozenset({"leftover-output", "too-much-output"})  # codes of findings
_SMALL_WRITES = frozenset({"flush-per-line", "unbuffered-stderr"})  # codes of findings
_OF_BUFFERS = frozenset({"lost-buffer", "doubled-buffer", "reordered-output"})  # likewise


def worth_trying(findings: Sequence[Finding]) -> str:
    """Return the name of the case worth a buffered rerun without a request, from the findings; "" for none."""
    named = (finding.evidence.get("test_case", "") for finding in findings if suggests(finding))
    return next((str(name) for name in named if name), "")


def worth_unbuffering(findings: Sequence[Finding]) -> str:
    """Return the name of the case whose output a buffer may have changed, by a finding without proof; "" for none."""
    doubted = (finding for finding in findings if finding.code in _OF_BUFFERS and "change" not in finding.evidence)
    return next((str(finding.evidence["test_case"]) for finding in doubted), "")


def suggests(finding: Finding) -> bool:
    """Return whether a finding suggests that its case be tried: its small writes, or too many of them."""
    return finding.code in _SMALL_WRITES or (finding.code == "call-limit" and "write_calls" in finding.evidence)


def worth_fixing(findings: Sequence[Finding], verdict: Verdict, language: str) -> str:
    """Return the name of the case worth a trial without a request, from the findings; "" for none.

    Of a too slow program that is one with a finding that some fix answers, of a refused one that with a leftover print.
    """
    if verdict in TOO_SLOW:
        answered = (finding for finding in findings if has_remedy(language, finding.code))
    elif verdict in REFUSED:
        answered = (finding for finding in findings if finding.code in LEFTOVERS)
    else:
        return ""
    named = (finding.evidence.get("test_case", "") for finding in answered)
    return next((str(name) for name in named if name), "")


def leftover_lines(findings: Sequence[Finding]) -> tuple[int, ...]:
    """Return the lines of the prints that a finding takes for left in; () if it names none."""
    return next((finding.lines for finding in findings if finding.code in LEFTOVERS and finding.lines), ())


def lacks_line(ending: CaseEnding | None, passes: int) -> bool:
    """Return whether a signal ended a case in a line that is not known."""
    return ending is not None and ending.signal in SHOWN_SIGNALS and not ending.place and passes == 1


def is_locatable(language: Language | None) -> bool:
    """Return whether another run of a program in this language can tell such lines."""
    return language is not None and language.runtime.locates_crashes
