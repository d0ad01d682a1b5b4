"""Explain why a program took its time: turn measurements into findings, and findings into sentences.

Every file of rules ends with their records (`Rule`). A rule's `find(facts) -> Finding | None` is asked once, by the
grading; its `say(telling) -> Said` makes the sentences each time that the finding is shown. A rule speaks only when the
numbers leave no other reading; the summary always does, so that every result page has a sentence that says what its
numbers mean. A rule that raises costs its own finding, never the verdict: it is logged, and the others still speak.
"""

import logging
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from judge.grading.events import Finding
from judge.grading.explain import summary
from judge.grading.explain.evidence.facts import CountsAwaited, Facts
from judge.grading.explain.evidence.rule import EXACT, About, Rule, Said, Telling, Words
from judge.grading.explain.rules import (
    buffers,
    conversation,
    extra_output,
    failures,
    foreign_names,
    not_run,
    overflow,
    points,
    small_calls,
    unread_input,
    waiting,
)
from judge.grading.explain.rules.own_time import (
    algorithm,
    backtracking,
    collisions,
    counted_work,
    failed_reads,
    growing_time,
    growing_work,
    hot_lines,
    may_never_end,
    memory,
    never_ends,
    peak_memory,
    piecework,
    recursions,
    slow_start,
    so_far,
    threads,
    where_it_went,
)
from judge.grading.languages import LANGUAGES, Language
from judge.grading.verdicts import Verdict
from problems.translation import ComposedSentence, Sentence, composed_by

# The order of findings on a page, and of what else may be the cause alike (`main_cause`). Only here is a rule listed.
RULES: tuple[Rule, ...] = (
    *summary.RULES,
    points.RULE,
    foreign_names.RULE,
    so_far.RULE,
    *failures.RULES,
    *small_calls.RULES,
    memory.STORM,
    waiting.RULE,
    *threads.RULES,
    *conversation.RULES,
    never_ends.RULE,
    failed_reads.RULE,
    may_never_end.RULE,
    slow_start.RULE,
    *piecework.RULES,
    collisions.RULE,
    *growing_work.RULES,
    *hot_lines.RULES,
    backtracking.RULE,
    *recursions.RULES,
    peak_memory.RULE,
    counted_work.RULE,
    algorithm.RULE,
    memory.FRESH,
    growing_time.RULE,
    unread_input.RULE,
    *overflow.RULES,
    *buffers.RULES,
    *extra_output.RULES,
    not_run.RULE,
    where_it_went.RULE,
)
BY_CODE: Mapping[str, Rule] = {rule.code: rule for rule in RULES}
CAUSES: Mapping[str, Rule] = {rule.code: rule for rule in RULES if rule.about is not About.NOTHING}
OF_TIME = frozenset(code for code, cause in CAUSES.items() if cause.about is About.TIME)
ABOUT_NO_CASE = frozenset(rule.code for rule in RULES if not rule.is_about_case)
REPEATING = frozenset(rule.code for rule in RULES if not rule.explains)  # the verdict and its numbers
_NUMBERS_ONLY = (so_far.RULE, where_it_went.RULE)  # asked where no other rule says anything of the time
_OF_WHAT_ENDS = OF_TIME - {failed_reads.RULE.code}  # what would make it faster, or only may be so
_MOST_OF_IT = 50  # per cent of the time
_OF_ITS_TIME = frozenset({Verdict.AC, Verdict.TLE, Verdict.SLE})  # verdicts of programs whose output is right so far
_logger = logging.getLogger(__name__)


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

    A case's calls are counted by name if a finding hangs on them once all that is counted without a pass is known: a
    pass costs the host a whole run, during which others wait, and most programs compute or are quick. So each rule asks
    for the counts last (`Facts.profile`). What a rule says without having asked is the same whatever the counts will
    be: findings never contradict earlier ones. Where no finding is about the time yet, what is measured of it is said.
    """
    findings, awaits = list[Finding](), dict[str, None]()

    def ask(rule: Rule) -> None:
        try:
            finding = rule.find(facts) if rule.find else None
        except CountsAwaited as awaited:
            awaits[awaited.case_name] = None
        except Exception:  # a defect of ours, and no reason to keep a verdict back
            _logger.exception("rule %s failed on a %s program", rule.code, facts.language.id)
        else:
            findings.extend([finding] if finding else [])

    for rule in RULES:
        if rule not in _NUMBERS_ONLY:
            ask(rule)
    endless = next((finding for finding in findings if finding.code == never_ends.RULE.code), None)
    if endless is not None:
        findings = [finding for finding in findings if not _is_refuted(finding, endless)]
    if any(finding.code == counted_work.RULE.code for finding in findings):  # at other sizes it came to its end
        findings = [finding for finding in findings if finding.code != may_never_end.RULE.code]
    if endless is None and not any(finding.code in OF_TIME for finding in findings):
        ask(so_far.RULE if awaits else where_it_went.RULE)
    return Explanation(findings=_in_order(findings), awaits=tuple(awaits))


def _is_refuted(finding: Finding, endless: Finding) -> bool:
    """Return whether a finding tells what would make a run faster that never ends, or how long it would take."""
    is_of_case = finding.evidence.get("test_case") == endless.evidence["test_case"]
    return finding.code == growing_time.RULE.code or (is_of_case and finding.code in _OF_WHAT_ENDS)


def explain_anew(stood: Sequence[Finding], before: Facts, now: Facts) -> Explanation:
    """Return the findings after a rerun: those that stood, changed as the rules' answers changed by what it told.

    `before`: the same facts without what the rerun told. What stood because of an output that no row keeps stays.
    """
    earlier = {finding.code: finding for finding in explain_so_far(before).findings}
    answer = explain_so_far(now)
    later = {finding.code: finding for finding in answer.findings}
    kept = {f.code: f for f in stood if f.code not in earlier or f.code in later}
    changed = {code: f for code, f in later.items() if f != earlier.get(code) and (code in earlier or code not in kept)}
    return Explanation(findings=_in_order((kept | changed).values()), awaits=answer.awaits)


def _in_order(findings: Iterable[Finding]) -> tuple[Finding, ...]:
    """Return findings in the order of a page."""
    places = {code: place for place, code in enumerate(BY_CODE)}
    return tuple(sorted(findings, key=lambda finding: places.get(finding.code, len(places))))


def main_cause(findings: Sequence[Finding], verdict: Verdict) -> str:
    """Return the code of the finding that is the submission's cause; "" if none can be. Its row keeps the answer, and
    the result page puts that finding first.

    First comes what all else may follow from; then what explains the verdict. Of several findings about the time it is
    the one that took most of it, if one took half; else the first one, in the order of the page.
    """
    order = (About.ALL, About.TIME, About.FAILURE)
    if verdict not in _OF_ITS_TIME:
        order = (About.ALL, About.FAILURE, About.TIME)
    shares = {finding.code: finding.evidence.get("weight_percent", 0) for finding in findings if finding.code in CAUSES}

    def place(code: str) -> tuple[int, int]:
        return order.index(CAUSES[code].about), -shares[code] if shares[code] >= _MOST_OF_IT else 0

    return min(shares, key=place, default="")


def telling_of(
    evidence: Mapping[str, Any], lines: Sequence[int], language: Language | None, words: Words = EXACT
) -> Telling:
    """Wrap a finding's evidence for `say`, exact or rounded; `words` writes its numbers."""
    return Telling(evidence=evidence, lines=lines, language=language, words=words, asked=set())


def say(code: str, telling: Telling, *, is_older: bool = False) -> Said | None:
    """Return the sentences of a finding; None if this version has no rule for it any more.

    `is_older`: a row of the first versions has it, whose evidence may lack what the sentences need.
    """
    try:
        return BY_CODE[code].say(telling)
    except (LookupError, TypeError, ValueError, AttributeError):  # evidence that another version of the rule left
        if not is_older:
            _logger.exception("no sentence for a finding %s", code)
        return None


def in_words(finding: Finding, language: Language | None) -> Said:
    """Return the sentences of a new finding, with exact numbers."""
    return say(finding.code, telling_of(finding.evidence, finding.lines, language)) or Said(text="")


def as_sentence(finding: Finding, language: Language | None) -> Sentence:
    """Return the first sentences of a finding, to be kept and said in any language."""
    row = {"code": finding.code, "evidence": dict(finding.evidence), "lines": list(finding.lines)}
    return ComposedSentence(_FINDING, row | {"language": language.id if language else ""})


def _tell(row: Mapping[str, Any]) -> str:
    language = LANGUAGES.get(row["language"])
    telling = say(row["code"], telling_of(row["evidence"], row["lines"], language))
    return telling.text if telling else ""


_FINDING = "finding"
composed_by(_FINDING, _tell)
