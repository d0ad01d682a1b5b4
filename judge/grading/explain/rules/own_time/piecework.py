"""Find programs that read, convert or print their data one piece at a time, where that alone took much of the time.

Each construct has a least cost per call, in the record of the language: about half of what was measured, so that a
machine twice as fast costs as much. How often it ran is estimated from the lines and words of the input and the answer
and the bytes that were read and written. The product is the least that it can have taken; a share of the CPU time below
`_SHARE` says nothing. Chunks are taken for what they are: a source that gathers its output gets no such finding.
"""

from collections.abc import Callable
from dataclasses import dataclass

from judge.grading.events import CaseJudged, Finding
from judge.grading.explain.evidence.facts import Facts, Pieces
from judge.grading.explain.evidence.rule import About, Reason, Rule, Said, Telling
from judge.grading.explain.rules.own_time.growing_work import has_nested_work
from judge.grading.languages.language import Piecework
from judge.grading.reading.places import Deed, Place, Stream, lines_of
from judge.grading.words import percent
from problems.translation import gettext as _, gettext_noop

_SHARE = 15  # per cent of the CPU time that the calls must have cost at least
_OWN_SHARE = 60  # per cent of the CPU time outside the kernel, of which conversions are a part
_TIMES_LEAST = 3
_MANY = 20_000  # of them
_CHUNK_BYTES = 16_384  # larger writes are not made of single lines
_SMALL_WRITE_BYTES = 256  # smaller ones are `flush-per-line`'s


@dataclass(frozen=True, kw_only=True, slots=True)
class _Work:
    """A construct, its places, how often it ran at least, and what that cost at least."""

    construct: str
    places: tuple[Place, ...]
    count: int
    least_us: int


def find_printing(facts: Facts) -> Finding | None:
    """Find lines that are printed by a call each, into a buffer."""
    case = facts.slow_case
    if case is None or case.io.write_calls == 0 or facts.code.has(Deed.GATHER, streams=(Stream.OTHER,), repeated=True):
        return None
    if not _SMALL_WRITE_BYTES < case.io.write_bytes / case.io.write_calls <= _CHUNK_BYTES:
        return None
    places = facts.code.find(Deed.PRINT, streams=(Stream.STDOUT,), repeated=True)
    return _finding(
        facts, case, _dearest(facts, case, places, lambda _work, pieces: pieces.printed), code="print-by-print"
    )


def find_reading(facts: Facts) -> Finding | None:
    """Find lines or words that are read by a call each, out of a buffer."""
    case = facts.slow_case
    if case is None or case.io.read_bytes > _CHUNK_BYTES * case.io.read_calls:
        return None
    places = facts.code.find(Deed.READ, streams=(Stream.STDIN,), repeated=True)
    return _finding(facts, case, _dearest(facts, case, places, _read), code="line-by-line")


def find_converting(facts: Facts) -> Finding | None:
    """Find values that are turned into text or back by a call each."""
    case = facts.slow_case
    if case is None or case.usage.user_time_us * 100 < _OWN_SHARE * case.usage.cpu_time_us:
        return None
    places = facts.code.find(Deed.CONVERT, repeated=True)
    return _finding(facts, case, _dearest(facts, case, places, _converted), code="conversion")


def say_printing(telling: Telling) -> Said:
    """Tell of `print-by-print`."""
    sentence = _(
        "Your program printed about {count} lines on {where}, each with a call of its own. By a low estimate these "
        "calls took {least} of its {cpu_time} of CPU time, although the output was buffered."
    )
    return _said(telling, sentence)


def say_reading(telling: Telling) -> Said:
    """Tell of `line-by-line`."""
    sentence = _(
        "Your program read its input piece by piece on {where}, with about {count} calls. By a low estimate these "
        "calls took {least} of its {cpu_time} of CPU time, although the input was buffered."
    )
    return _said(telling, sentence)


def say_converting(telling: Telling) -> Said:
    """Tell of `conversion`."""
    sentence = _(
        "Your program turns values into text or back one by one, up to about {count} on {where}. By a low estimate "
        "that many take {least}; it used {cpu_time} of CPU time."
    )
    return _said(telling, sentence)


def _said(telling: Telling, sentence: str) -> Said:
    text = telling.fill(sentence, count=telling.count("pieces"))
    constructs = telling.language.piecework if telling.language else {}
    work = constructs.get(telling.text("construct"))
    return Said(text=text, advice=_(work.advice) if work and not telling.has("is_accepted") else "")


def _dearest(
    facts: Facts, case: CaseJudged, places: tuple[Place, ...], count: Callable[[Piecework, Pieces], int]
) -> _Work | None:
    """Return the construct that cost most; None if none is known to have cost anything."""
    pieces, works = facts.pieces(case), []
    for name in dict.fromkeys(place.name for place in places):
        unsynced = f"{name} unsynced"
        is_unsynced = unsynced in facts.language.piecework and facts.code.has(Deed.UNSYNC)
        construct = unsynced if is_unsynced else name
        work = facts.language.piecework.get(construct)
        if work is not None:
            number, same = count(work, pieces), tuple(place for place in places if place.name == name)
            cost_us = number * work.least_ns // 1_000
            works.append(_Work(construct=construct, places=same, count=number, least_us=cost_us))
    return max(works, key=lambda work: work.least_us, default=None)


def _read(work: Piecework, pieces: Pieces) -> int:
    return pieces.words if work.is_per_word else pieces.lines


def _converted(work: Piecework, pieces: Pieces) -> int:
    """Return how many there can have been. Where nothing is printed yet, all of them may be made already."""
    return (pieces.printed or pieces.values) if work.is_of_output else _read(work, pieces)


def _finding(facts: Facts, case: CaseJudged, work: _Work | None, *, code: str) -> Finding | None:
    if work is None or work.count < _MANY:
        return None
    share = percent(work.least_us, case.usage.cpu_time_us)
    if share < _SHARE:
        return None
    # The costs are a half to a third of what was measured; where a loop does little else, the rest is theirs too.
    weight = share if has_nested_work(facts, work.places) else _TIMES_LEAST * share
    # Of a program that read all at once and was stopped it is not known how often it ran.
    if case.exit_code is not None:
        is_count_known = True
    elif facts.language.piecework[work.construct].is_of_output:
        is_count_known = facts.pieces(case).printed > 0
    else:
        is_count_known = case.io.read_bytes <= _CHUNK_BYTES * case.io.read_calls
    return Finding(
        code=code,
        evidence={
            **facts.about(case),
            "pieces": work.count,
            "least_us": work.least_us,
            "cpu_time_us": case.usage.cpu_time_us,
            "construct": work.construct,
            "weight_percent": min(weight, 100) if is_count_known else 0,
        },
        lines=lines_of(work.places),
    )


RULES = (
    Rule(
        code="print-by-print",
        find=find_printing,
        say=say_printing,
        about=About.TIME,
        reason=Reason.IO,
        hint=gettext_noop("Each line is printed by a call of its own: gather the lines and print them once."),
    ),
    Rule(
        code="line-by-line",
        find=find_reading,
        say=say_reading,
        about=About.TIME,
        reason=Reason.IO,
        hint=gettext_noop("Each line is read by a call of its own: read all of the input at once."),
    ),
    Rule(
        code="conversion",
        find=find_converting,
        say=say_converting,
        about=About.TIME,
        reason=Reason.IO,
        hint=gettext_noop("Values are turned into text and back one by one: make fewer, larger conversions."),
    ),
)
