"""Explain why a program took its time: turn measurements into findings, and findings into sentences.

Every rule is a file. Its `find(story) -> Finding | None` is asked once, by the grading; its `say(telling) -> Said`
makes the sentences each time that the finding is shown. A rule speaks only when the numbers leave no other reading; the
summary always does, so that every result page has a sentence that says what its numbers mean. A rule that raises costs
its own finding, never the verdict: it is logged, and the others still speak.
"""

import logging
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from judge.grading.events import Finding
from judge.grading.explain import calls, summary
from judge.grading.explain.facts import Facts
from judge.grading.explain.rules import (
    algorithm,
    allocation_storm,
    call_limit,
    conversation,
    flush_per_line,
    leftover_output,
    not_run,
    points,
    taking_turns,
    tiny_reads,
    too_much_output,
    unbuffered_stderr,
    waiting,
)
from judge.grading.explain.rules.own_time import (
    costly_map,
    deep_recursion,
    fresh_memory,
    growing_time,
    growing_work,
    lock_storm,
    may_never_end,
    piecework,
    recursion,
    slow_start,
    where_it_went,
)
from judge.grading.explain.wording import EXACT, Said, Telling, Words
from judge.grading.languages import Language
from judge.grading.verdicts import Verdict

__all__ = ["CAUSES", "Facts", "Said", "Words", "explain", "in_words", "main_cause", "say", "telling_of"]

RULES = (
    summary.find,
    points.find,
    calls.find,
    call_limit.find,
    flush_per_line.find,
    unbuffered_stderr.find,
    tiny_reads.find,
    allocation_storm.find,
    waiting.find,
    taking_turns.find,
    lock_storm.find,
    conversation.find,
    may_never_end.find,
    slow_start.find,
    piecework.find_printing,
    piecework.find_reading,
    piecework.find_converting,
    growing_work.find_container,
    growing_work.find_copying,
    costly_map.find,
    recursion.find,
    deep_recursion.find_slow,
    deep_recursion.find_overflow,
    algorithm.find,
    fresh_memory.find,
    growing_time.find,
    leftover_output.find,
    too_much_output.find,
    not_run.find,
)
_logger = logging.getLogger(__name__)
SENTENCES: Mapping[str, Callable[[Telling], Said]] = {  # by the code of a finding
    "summary": summary.say,
    "compile": summary.say_compile,
    "judge-error": summary.say_judge_error,
    "points": points.say,
    "division": calls.say,
    "call-limit": call_limit.say,
    "flush-per-line": flush_per_line.say,
    "unbuffered-stderr": unbuffered_stderr.say,
    "tiny-reads": tiny_reads.say,
    "allocation-storm": allocation_storm.say,
    "waiting": waiting.say,
    "taking-turns": taking_turns.say,
    "lock-storm": lock_storm.say,
    "may-never-end": may_never_end.say,
    "slow-start": slow_start.say,
    "print-by-print": piecework.say_printing,
    "line-by-line": piecework.say_reading,
    "conversion": piecework.say_converting,
    "costly-container": growing_work.say_container,
    "copying": growing_work.say_copying,
    "costly-map": costly_map.say,
    "branching-recursion": recursion.say,
    "deep-recursion": deep_recursion.say_slow,
    "stack-overflow": deep_recursion.say_overflow,
    "fresh-memory": fresh_memory.say,
    "growth": growing_time.say,
    "where-it-went": where_it_went.say,
    "conversation-over": conversation.say_over,
    "slow-interactor": conversation.say_busy,
    "unflushed-question": conversation.say_unheard,
    "unread-answers": conversation.say_unread,
    "algorithm": algorithm.say,
    "leftover-output": leftover_output.say,
    "too-much-output": too_much_output.say,
    "not-run": not_run.say,
}
CAUSES = frozenset(
    {
        "call-limit",
        "flush-per-line",
        "unbuffered-stderr",
        "tiny-reads",
        "allocation-storm",
        "waiting",
        "taking-turns",
        "lock-storm",
        "may-never-end",
        "slow-start",
        "print-by-print",
        "line-by-line",
        "conversion",
        "costly-container",
        "copying",
        "costly-map",
        "branching-recursion",
        "deep-recursion",
        "algorithm",
        "fresh-memory",
    }
)
_OF_OTHER_VERDICTS = ("leftover-output", "too-much-output", "stack-overflow")
_MOST_OF_IT = 50  # per cent of the time that a cause must have cost: two that share it are none


def explain(facts: Facts) -> tuple[Finding, ...]:
    """Return all findings about a submission, the summary first. Never raises; empty only when every rule failed."""
    findings = []
    for rule in RULES:
        try:
            finding = rule(facts)
        except Exception:  # a defect of ours, and no reason to keep a verdict back
            _logger.exception("rule %s failed on a %s program", rule.__module__, facts.language.id)
            continue
        if finding is not None:
            findings.append(finding)
    return (*findings, *_last(facts, findings))


def _last(facts: Facts, findings: Sequence[Finding]) -> tuple[Finding, ...]:
    """Return what is measured of a slow case's time if no finding says what it was spent on."""
    try:
        finding = where_it_went.find(facts, {finding.code for finding in findings} & CAUSES)
    except Exception:  # as above
        _logger.exception("rule %s failed on a %s program", where_it_went.__name__, facts.language.id)
        return ()
    return (finding,) if finding else ()


def telling_of(
    evidence: Mapping[str, Any], lines: Sequence[int], language: Language | None, words: Words = EXACT
) -> Telling:
    """Wrap a finding's evidence for `say`, exact or rounded; `words` writes its numbers."""
    return Telling(evidence=evidence, lines=lines, language=language, words=words, asked=set())


def say(code: str, telling: Telling) -> Said | None:
    """Return the sentences of a finding; None if this version has no rule for it any more."""
    try:
        return SENTENCES[code](telling)
    except (LookupError, TypeError, ValueError, AttributeError):  # evidence that another version of the rule left
        _logger.exception("no sentence for a finding %s", code)
        return None


def in_words(finding: Finding, language: Language | None) -> Said:
    """Return the sentences of a new finding, with exact numbers."""
    return say(finding.code, telling_of(finding.evidence, finding.lines, language)) or Said(text="")


def main_cause(findings: Sequence[Finding], verdict: Verdict) -> str:
    """Return the code of the finding that explains why it was slow, by its share of the time; "" if none does.

    For a submission rejected for another reason than its time, also a finding about its output or its stack.
    """
    weights = {f.code: f.evidence.get("weight_percent", 0) for f in findings if f.code in CAUSES}
    code = max(weights, key=lambda code: weights[code], default="")
    if weights.get(code, 0) >= _MOST_OF_IT:
        return code
    if verdict in (Verdict.AC, Verdict.TLE):
        return ""
    return next((finding.code for finding in findings if finding.code in _OF_OTHER_VERDICTS), "")
