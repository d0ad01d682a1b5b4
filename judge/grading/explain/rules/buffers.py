"""Explain a wrong output that lacks, doubles or reorders what the program printed: what its buffers did to it.

By the source alone a buffer is only a possible reason, and the sentence says so. The unbuffered twin of the case
(`judge.grading.reruns.unbuffered`) decides: it proves the finding, or takes it back.
"""

from judge.grading.events import BufferChange, CaseJudged, Finding, UnbufferedTwin
from judge.grading.explain.evidence.facts import Facts
from judge.grading.explain.evidence.rule import About, Reason, Rule, Said, Telling
from judge.grading.reading.places import Code, Deed, Place, Stream, lines_of
from judge.grading.verdicts import Verdict
from problems.translation import gettext as _, gettext_noop
from sandbox.types import Ending

_FORKS = ("fork", "os.fork")
_PRINTS, _STDOUT = (Deed.PRINT, Deed.WRITE), (Stream.STDOUT,)
_OF_CPP, _OWN = ("cout", "wcout"), "own"
_CODES = {
    BufferChange.LOST: "lost-buffer",
    BufferChange.DOUBLED: "doubled-buffer",
    BufferChange.REORDERED: "reordered-output",
}


def find(facts: Facts) -> Finding | None:
    """Find what buffers did to the output of the first case that failed, or may have done."""
    case = facts.first_failure
    if case is None or case.verdict not in (Verdict.WA, Verdict.RE) or facts.is_interactive or case.passes > 1:
        return None
    rerun = facts.reruns.get(case.name)
    if rerun is not None and rerun.unbuffered is not None:
        return _proved(facts, case, rerun.unbuffered)
    change = possible_change(facts, case)
    return _finding(facts, case, change) if change else None


def possible_change(facts: Facts, case: CaseJudged) -> BufferChange | None:
    """Return what a buffer may have done to a wrong output, by the source and the sizes of output and answer."""
    code, answer = facts.code, facts.answer_bytes.get(case.name)
    if not code.has(*_PRINTS, streams=_STDOUT) or case.signal is not None:
        return None
    is_short = not case.stdout_bytes if answer is None else case.stdout_bytes < answer
    keeps = (
        code.has(Deed.GATHER, streams=_STDOUT) or not facts.language.unbuffering
    )  # else stdout alone keeps at most a line back
    if _quits(code) and keeps and is_short and not code.has(Deed.FLUSH, streams=_STDOUT):
        return BufferChange.LOST
    if case.verdict is not Verdict.WA or not case.stdout_bytes:
        return None
    if code.find(Deed.PROCESS, names=_FORKS) and answer is not None and case.stdout_bytes > answer:
        return BufferChange.DOUBLED
    return BufferChange.REORDERED if _mixes(code) else None


def _proved(facts: Facts, case: CaseJudged, twin: UnbufferedTwin) -> Finding | None:
    """Return what the twin proves of the judged run, if the program wrote as much then."""
    if twin.change not in _CODES or twin.stdout_bytes != case.stdout_bytes:
        return None
    if twin.change is BufferChange.DOUBLED and not facts.code.find(Deed.PROCESS, names=_FORKS):
        return None
    if twin.change is BufferChange.REORDERED and case.verdict is not Verdict.WA:
        return None
    finding = _finding(facts, case, twin.change)
    finding.evidence.update(change=twin.change.value, is_right=twin.is_right)
    if twin.lost:
        finding.evidence["lost"] = twin.lost
    return finding


def _finding(facts: Facts, case: CaseJudged, change: BufferChange) -> Finding:
    evidence: dict[str, object] = {"test_case": case.name}
    places: tuple[Place, ...] = ()
    if change is BufferChange.LOST:
        ending = case.ending
        places = _quits(facts.code)
        if ending is not None and ending.how is Ending.SIGNALLED:
            evidence["signal"] = ending.signal
            places = tuple(place for place in places if "abort" in place.name)
    elif change is BufferChange.DOUBLED:
        places = facts.code.find(Deed.PROCESS, names=_FORKS)
    else:
        places = _mixes(facts.code)
        if _roads(facts.code).keys() == {_OWN, Deed.PRINT.value}:
            evidence["is_unsynced"] = True
    if places and change is not BufferChange.REORDERED:
        evidence["construct"] = places[0].name
    return Finding(code=_CODES[change], evidence=evidence, lines=lines_of(places))


def _quits(code: Code) -> tuple[Place, ...]:
    return code.find(Deed.QUIT)


def _mixes(code: Code) -> tuple[Place, ...]:
    """Return the prints that go to stdout by several roads; () if there is one."""
    return code.find(*_PRINTS, streams=_STDOUT) if len(_roads(code)) > 1 else ()


def _roads(code: Code) -> dict[str, list[Place]]:
    """Return the prints to stdout by their road: each road has a buffer of its own, or none."""
    roads: dict[str, list[Place]] = {}
    for place in code.find(*_PRINTS, streams=_STDOUT):
        road = place.deed.value
        if place.deed is Deed.PRINT and code.has(Deed.UNSYNC) and place.name in _OF_CPP:
            road = _OWN
        elif (
            place.deed is Deed.PRINT and code.has(Deed.GATHER, streams=_STDOUT) and place.name in ("println!", "print!")
        ):
            road = "lines"
        roads.setdefault(road, []).append(place)
    return roads


def say_lost(telling: Telling) -> Said:
    """Tell of `lost-buffer`."""
    advice = _how_to_flush(telling, _("Flush before it ends there: {flushing}."))
    if not telling.has("change"):
        sentence = _(
            "At `{construct}` what is still in the output buffer is lost: the output on {test_case} may be incomplete "
            "because of that."
        )
        return Said(text=telling.fill(sentence), advice=advice)
    if telling.has("signal"):
        sentence = _(
            "Your program had printed more on {test_case}: what was still in its output buffer when {signal} ended it "
            "was never written."
        )
        advice = _("Mend what ends the program first; with a flush after each print you see how far it came.")
    elif telling.has("construct"):
        sentence = _(
            "Your program did print more on {test_case}: what was still in its output buffer at `{construct}` was "
            "never written."
        )
    else:
        sentence = _(
            "Your program did print more on {test_case}: what was still in its output buffer when it ended was never "
            "written."
        )
    parts = [telling.fill(sentence)]
    if telling.has("lost"):
        parts.append(telling.fill(_("What is missing begins with `{lost}`.")))
    return Said(text=" ".join([*parts, _seen(telling)]), advice=advice)


def say_doubled(telling: Telling) -> Said:
    """Tell of `doubled-buffer`."""
    advice = _how_to_flush(telling, _("Flush before each `fork`: {flushing}."))
    if not telling.has("change"):
        sentence = _(
            "`{construct}` copies what is still in the output buffer, and both processes write it: the output on "
            "{test_case} may be doubled because of that."
        )
        return Said(text=telling.fill(sentence), advice=advice)
    sentence = _(
        "A part of the output on {test_case} was written more than once: it was still in the output buffer at "
        "`{construct}`, which copies the buffer, and both processes wrote it."
    )
    return Said(text=f"{telling.fill(sentence)} {_seen(telling)}", advice=advice)


def say_reordered(telling: Telling) -> Said:
    """Tell of `reordered-output`."""
    is_unsynced, is_proved = telling.has("is_unsynced"), telling.has("change")
    if is_unsynced and is_proved:
        sentence = _(
            "What your program printed on {test_case} came out in another order: after `sync_with_stdio(false)`, "
            "`cout` and the functions of C have a buffer each."
        )
    elif is_unsynced:
        sentence = _(
            "After `sync_with_stdio(false)`, `cout` and the functions of C have a buffer each: what your program "
            "printed on {test_case} may have come out in another order because of that."
        )
    elif is_proved:
        sentence = _(
            "What your program printed on {test_case} came out in another order: some of it went through a buffer, and "
            "some past it."
        )
    else:
        sentence = _(
            "Your program prints through a buffer and past it: its output on {test_case} may have come out in another "
            "order because of that."
        )
    text = telling.fill(sentence)
    advice = _("Print in one way only, or flush before you print in the other one.")
    if is_unsynced:
        advice = _("Print with `cout` alone or with `printf` alone, or leave out `sync_with_stdio(false)`.")
    return Said(text=f"{text} {_seen(telling)}" if is_proved else text, advice=advice)


def _seen(telling: Telling) -> str:
    if telling.has("is_right"):
        return _("Run again with nothing left in a buffer, it prints the right output.")
    return _("Tally has run it again with nothing left in a buffer, and compared the two outputs.")


def _how_to_flush(telling: Telling, advice: str) -> str:
    return advice.format(flushing=_(telling.language.advice.flushing)) if telling.language else ""


RULES = (
    Rule(
        code="lost-buffer",
        find=find,
        say=say_lost,
        about=About.FAILURE,
        reason=Reason.IO,
        hint=gettext_noop("The program ends without writing out its buffer: flush the output before that."),
    ),
    Rule(
        code="doubled-buffer",
        find=None,
        say=say_doubled,
        about=About.FAILURE,
        reason=Reason.IO,
        hint=gettext_noop("A fork copies what is still in the output buffer: flush the output before it."),
    ),
    Rule(
        code="reordered-output",
        find=None,
        say=say_reordered,
        about=About.FAILURE,
        reason=Reason.IO,
        hint=gettext_noop("The program prints in two ways, each with a buffer of its own: print in one way only."),
    ),
)
