"""Explain why an interactive program waited until its wall limit: most likely it never sent its question.

A question in the program's own buffer cannot be seen from outside. What can: for how long the program waited, how many
bytes it had handed over by then, and what the interactor did meanwhile.
"""

from judge.grading.events import CaseJudged, Finding
from judge.grading.explain.evidence.facts import Facts
from judge.grading.explain.evidence.rule import About, Reason, Rule, Said, Telling
from judge.grading.reading.places import Code, Deed, Place, Stream, lines_of
from judge.grading.verdicts import Verdict
from judge.grading.words import percent
from problems.translation import gettext as _, gettext_noop

_SHARE = 50  # per cent of the time on the clock
_PIPE_BYTES = 65_536  # that a pipe holds: pipe(7)
_READS_PER_WRITE = 10  # a program with so many writes for each read does not wait for answers


def find(facts: Facts) -> Finding | None:
    """Find an interactive case that ran out of wall time while the program waited for most of it."""
    case = next((case for case in facts.cases if case.partner and _is_stuck(facts, case)), None)
    if case is None or case.partner is None:
        return None
    waited_us = case.usage.waiting_time_us
    evidence: dict[str, object] = {
        "test_case": case.name,
        "waiting_time_us": waited_us,
        "sent_bytes": case.stdout_bytes,
        "write_calls": case.io.write_calls,
        "interactor_cpu_time_us": case.partner.cpu_time_us,
    }
    if case.partner.ended_first:
        return Finding(code="conversation-over", evidence=evidence)
    if percent(case.partner.cpu_time_us, waited_us) >= _SHARE:
        return Finding(code="slow-interactor", evidence=evidence)
    io = case.io
    if case.stdout_bytes > _PIPE_BYTES and io.read_calls * _READS_PER_WRITE < io.write_calls:
        return Finding(code="unread-answers", evidence={**evidence, "read_calls": io.read_calls})
    keepers = facts.language.advice.keepers  # what keeps output back while the program reads
    places = facts.code.find(keepers.deed, streams=keepers.streams)
    kept_by = tuple(place for place in places if place.name != keepers.but_not)
    if kept_by:
        evidence["keeps"] = True
    return Finding(code="unflushed-question", evidence=evidence, lines=lines_of(_unflushed(facts.code) or kept_by))


def _unflushed(code: Code) -> tuple[Place, ...]:
    """Return the last print before each read, without one that flushes: there the flush belongs."""
    prints = code.find(Deed.PRINT, streams=(Stream.STDOUT,))
    reads = code.find(Deed.READ, Deed.FETCH, streams=(Stream.STDIN,))
    flushes = {place.line for place in code.find(Deed.FLUSH, streams=(Stream.STDOUT, Stream.UNKNOWN))}
    questions: dict[int, Place] = {}
    for read in reads:
        before = [place for place in prints if place.line <= read.line]
        if not before and read.is_repeated:  # the one of the turn before
            before = [place for place in prints if place.is_repeated]
        question = before[-1] if before else None
        is_answered = question and any(question.line <= other.line < read.line for other in reads)
        is_flushed = question and any(question.line <= line <= max(read.line, question.line) for line in flushes)
        if question and not is_answered and not is_flushed:
            questions[question.line] = question
    return tuple(questions.values())


def say_over(telling: Telling) -> Said:
    """Tell of `conversation-over`."""
    sentence = _(
        "On {test_case} your program waited for {waited} although the conversation was over: it should end by itself "
        "after its last line."
    )
    return Said(text=_filled(telling, sentence))


def say_busy(telling: Telling) -> Said:
    """Tell of `slow-interactor`."""
    sentence = _(
        "On {test_case} your program waited for {waited}, but the judge's side was computing for {busy} meanwhile: "
        "tell the staff."
    )
    return Said(text=_filled(telling, sentence, busy=telling.duration("interactor_cpu_time_us")))


def say_unheard(telling: Telling) -> Said:
    """Tell of `unflushed-question`; the lines are those behind which the flush belongs."""
    waited = _("On {test_case} your program waited for {waited}, and so did the interactor.")
    if telling.value("sent_bytes"):
        unheard = _(
            "Until then it had sent {sent} in {writes}. If it asked another question, that question is probably still "
            "in its output buffer."
        )
    else:
        unheard = _(
            "Until then it had sent {sent}. If it asked a question, that question is probably still in its output "
            "buffer."
        )
    text = _filled(telling, f"{waited} {unheard}", writes=telling.calls("write"))
    return Said(text=text, advice=_how_to_flush(telling))


def say_unread(telling: Telling) -> Said:
    """Tell of `unread-answers`: both pipes may be full, so that neither side can write."""
    sentence = _(
        "On {test_case} your program waited for {waited}, and so did the interactor. Until then it had sent {sent} in "
        "{writes} and made {reads}. If it does not read the answers, they fill the pipe, and then both sides wait."
    )
    advice = _("Read the answer to each question before you ask the next one.")
    return Said(text=_filled(telling, sentence), advice=f"{advice} {_how_to_flush(telling)}")


def _filled(telling: Telling, sentence: str, **words: str) -> str:
    return telling.fill(sentence, waited=telling.duration("waiting_time_us"), **words)


def _how_to_flush(telling: Telling) -> str:
    if telling.language is None:
        return _("Flush after each question.")
    own = telling.language.advice
    advice = _("Flush after each question: {flushing}.").format(flushing=_(own.flushing))
    return f"{advice} {_(own.keeps_question)}" if telling.has("keeps") else advice


def _is_stuck(facts: Facts, case: CaseJudged) -> bool:
    usage = case.usage
    if case.verdict is not Verdict.TLE or usage.cpu_time_us > facts.limits.time_limit_ms * 1_000:
        return False
    return percent(usage.waiting_time_us, usage.wall_time_us - usage.queued_time_us) >= _SHARE


RULES = (
    Rule(
        code="conversation-over",
        find=find,
        say=say_over,
        about=About.TIME,
        reason=Reason.WAITING,
        hint=gettext_noop("The program waits although the conversation is over: let it end after its last line."),
        leaves_time_open=False,
    ),
    Rule(
        code="slow-interactor",
        find=None,
        say=say_busy,
        about=About.TIME,
        reason=Reason.WAITING,
        hint=gettext_noop("The judge's side computes most of the time, not the program: tell the staff."),
        leaves_time_open=False,
    ),
    Rule(
        code="unflushed-question",
        find=None,
        say=say_unheard,
        about=About.TIME,
        reason=Reason.WAITING,
        hint=gettext_noop("A question probably stays in the program's own buffer: flush after each question."),
        leaves_time_open=False,
    ),
    Rule(
        code="unread-answers",
        find=None,
        say=say_unread,
        about=About.TIME,
        reason=Reason.WAITING,
        hint=gettext_noop(
            "The program asks on without reading the answers: read each answer before the next question."
        ),
        leaves_time_open=False,
    ),
)
