"""Explain why a program took its time: turn measurements into findings, and findings into sentences.

Every rule is a file. Its `find(story) -> Finding | None` is asked once, by the grading; its `say(telling) -> Said`
makes the sentences each time that the finding is shown. A rule speaks only when the numbers leave no other reading; the
summary always does, so that every result page has a sentence that says what its numbers mean. A rule that raises costs
its own finding, never the verdict: it is logged, and the others still speak.
"""

import logging
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from judge.grading.events import Finding
from judge.grading.explain import calls, summary
from judge.grading.explain.causes import OF_TIME
from judge.grading.explain.facts import CountsAwaited, Facts
from judge.grading.explain.rules import (
    algorithm,
    allocation_storm,
    call_limit,
    compiler_warning,
    conversation,
    flush_per_line,
    leftover_output,
    lost_part,
    not_run,
    points,
    recursion_limit,
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
from judge.grading.languages import LANGUAGES, Language
from problems.translation import Sentence, ToldSentence, told_by

__all__ = [
    "Explanation",
    "Facts",
    "Said",
    "Words",
    "as_sentence",
    "explain",
    "explain_anew",
    "explain_so_far",
    "in_words",
    "say",
    "telling_of",
]

RULES = (
    summary.find,
    points.find,
    lost_part.find,
    compiler_warning.find,
    recursion_limit.find,
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
    "lost-part": lost_part.say,
    "compiler-warning": compiler_warning.say,
    "recursion-limit": recursion_limit.say,
    "division": calls.say,
    "call-limit": call_limit.say,
    "flush-per-line": flush_per_line.say,
    "unbuffered-stderr": unbuffered_stderr.say,
    "tiny-reads": tiny_reads.say,
    "allocation-storm": allocation_storm.say,
    "waiting": waiting.say,
    "taking-turns": taking_turns.say,
    "lock-storm": lock_storm.say,
    "conversation-over": conversation.say_over,
    "slow-interactor": conversation.say_busy,
    "unflushed-question": conversation.say_unheard,
    "unread-answers": conversation.say_unread,
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
    "algorithm": algorithm.say,
    "fresh-memory": fresh_memory.say,
    "growth": growing_time.say,
    "leftover-output": leftover_output.say,
    "too-much-output": too_much_output.say,
    "not-run": not_run.say,
    "where-it-went": where_it_went.say,
}
_ORDER = list(SENTENCES)  # of the findings, that of the rules


@dataclass(frozen=True, kw_only=True, slots=True)
class Explanation:
    """The findings, the summary first. `awaits`: names of the cases whose calls by name further rules still need."""

    findings: tuple[Finding, ...]
    awaits: tuple[str, ...] = ()


def explain(facts: Facts) -> tuple[Finding, ...]:
    """Return all findings about a submission, the summary first. Never raises; empty only when every rule failed."""
    return explain_so_far(facts).findings


def explain_so_far(facts: Facts) -> Explanation:
    """Return the findings that no count can change, and decide whose calls by name can matter. Never raises.

    The rule: a case's calls are counted by name if a finding hangs on them once all that is counted without a pass is
    known. So no pass is asked for

    - after a compile error, or where the case that is talked about is quick and in time (`Facts.is_slow`);
    - for a finding about reads and writes, of fewer than 10,000 calls, of large ones, or where the kernel's share of
      the CPU time is too small even if it did nothing else;
    - for one about memory, if the kernel took less than a fifth of the time (a tenth for `fresh-memory`), or if the
      page faults are few for the peak memory;
    - for one about threads, without threads in the source, and without a kernel at work or voluntary switches;
    - for one that needs calls to have cost *little* (`algorithm`, `copying`), if all reads and writes together can have
      cost only little.

    The reason: a pass costs the host a whole run, during which others wait, and most programs compute or are quick.
    Each rule asks for the counts last (`Facts.profile`), so the conditions stand where the rule is, once; and what a
    rule says without having asked is the same whatever the counts will be. Findings thus never contradict earlier ones.
    """
    findings, awaits = [], dict[str, None]()
    for rule in RULES:
        findings += _asked(rule, facts, awaits)
    causes = {finding.code for finding in findings} & OF_TIME
    if causes or not awaits:  # else a cause may yet come
        findings += _asked(lambda facts: where_it_went.find(facts, causes), facts, awaits)
    return Explanation(findings=tuple(findings), awaits=tuple(awaits))


def _asked(rule: Callable[[Facts], Finding | None], facts: Facts, awaits: dict[str, None]) -> list[Finding]:
    """Return what the rule finds; note in `awaits` what it waits for."""
    try:
        finding = rule(facts)
    except CountsAwaited as awaited:
        awaits[awaited.case_name] = None
        return []
    except Exception:  # a defect of ours, and no reason to keep a verdict back
        _logger.exception("rule %s failed on a %s program", rule.__module__, facts.language.id)
        return []
    return [finding] if finding is not None else []


def explain_anew(stood: Sequence[Finding], facts: Facts, awaited: Collection[str]) -> Explanation:
    """Return the findings after calls were counted by name: those that stood, and what the rules that waited now say.

    `awaited`: the cases that had not been counted when the verdict was given.
    """
    earlier = {name: profile for name, profile in facts.profiles.items() if name not in awaited}
    before = explain_so_far(facts.with_counts(earlier, frozenset(awaited)))
    now = explain_so_far(facts)
    known = {finding.code for finding in (*stood, *before.findings)}
    findings = [*stood, *(finding for finding in now.findings if finding.code not in known)]
    return Explanation(findings=tuple(sorted(findings, key=_place)), awaits=now.awaits)


def _place(finding: Finding) -> int:
    return _ORDER.index(finding.code) if finding.code in _ORDER else len(_ORDER)


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


def as_sentence(finding: Finding, language: Language | None) -> Sentence:
    """Return the first sentences of a finding, to be kept and said in any language."""
    told = {"code": finding.code, "evidence": dict(finding.evidence), "lines": list(finding.lines)}
    return ToldSentence(_FINDING, told | {"language": language.id if language else ""})


def _tell(told: Mapping[str, Any]) -> str:
    language = LANGUAGES.get(told["language"])
    said = say(told["code"], telling_of(told["evidence"], told["lines"], language))
    return said.text if said else ""


_FINDING = "finding"
told_by(_FINDING, _tell)
