"""Find reads and writes in pieces so small that their calls cost much, or are more than the problem allows.

Pieces of output: `endl`, `flush=True`, Rust's line-buffered stdout. Nobody checks what goes to stderr, and there each
piece is a system call, too.
"""

from dataclasses import dataclass

from judge.grading.events import CaseJudged, Finding
from judge.grading.explain.evidence.facts import MANY_CALLS, Facts
from judge.grading.explain.evidence.quiet import reads_past_end
from judge.grading.explain.evidence.rule import About, Reason, Rule, Said, Telling
from judge.grading.languages import Language
from judge.grading.reading.places import Code, Deed, Place, Stream, lines_of
from judge.grading.verdicts import Verdict
from judge.grading.words import percent
from problems.translation import gettext as _, gettext_noop

_BETWEEN = ", "
_OUT = (Stream.STDOUT, Stream.UNKNOWN)
SMALL_WRITE_BYTES = 256
_OF_STDOUT = 80  # per cent of the writes that must have gone to stdout
_OF_STDERR = 50  # per cent of the writes
_DEEDS = (Deed.PRINT, Deed.WRITE)
SMALL_READ_BYTES = 64
_REST_SHARE = 5  # per cent of the limit that printing took at least, of a run that its flushes kept from going on
_READS = ("read", "pread64", "readv", "preadv", "preadv2")
_IN = (Stream.STDIN, Stream.UNKNOWN)


@dataclass(frozen=True, kw_only=True, slots=True)
class Advised:
    """The places that do it, and what they are called, as evidence: "endl, flush"."""

    construct: str
    places: tuple[Place, ...]


def advise(code: Code, language: Language) -> Advised | None:
    """Return what flushes stdout again and again in the source; None if no known construct does."""
    unbuffered = code.find(Deed.UNBUFFER, streams=_OUT)
    direct = code.find(Deed.FLUSH, streams=_OUT, repeated=True) + code.find(
        Deed.WRITE, streams=(Stream.STDOUT,), repeated=True
    )
    # A stream that is known is better than a parameter, which may be a file.
    direct = tuple(place for place in direct if place.stream is Stream.STDOUT) or direct
    places, reads = (*unbuffered, *direct), language.advice.reads_that_flush
    if not places and reads and code.has(Deed.PRINT, streams=_OUT, repeated=True) and not code.has(Deed.UNTIE):
        places = code.find(Deed.READ, streams=(Stream.STDIN,), repeated=True, names=reads.names)
    if not places:
        return None
    names = (reads.construct if reads and place.deed is Deed.READ else place.name for place in places)
    return Advised(construct=_BETWEEN.join(dict.fromkeys(names)), places=places)


def debugging_places(code: Code) -> tuple[Place, ...]:
    """Return what writes to stderr again and again in the source."""
    return code.find(*_DEEDS, streams=(Stream.STDERR,), repeated=True)


def what_to_do(telling: Telling) -> str:
    """Return the advice about the constructs that a finding names."""
    constructs = telling.language.advice.constructs if telling.language else {}
    names = telling.text("construct").split(_BETWEEN)
    return " ".join(dict.fromkeys(_(constructs[name]) for name in names if name in constructs))


def find_excess(facts: Facts) -> Finding | None:
    """Find the first case that was right but over its limit on calls."""
    case = next((case for case in facts.cases if case.verdict is Verdict.SLE), None)
    if case is None:
        return None
    is_write = case.too_many == "write"
    advised = advise(facts.code, facts.language) if is_write else None
    calls = case.io.write_calls if is_write else case.io.read_calls
    handed = case.io.write_bytes if is_write else case.io.read_bytes
    what = "write" if is_write else "read"
    limits = facts.limits
    evidence: dict[str, object] = {
        "test_case": case.name,
        "too_many": what,
        f"{what}_calls": calls,
        f"{what}_bytes": handed,
        f"bytes_per_{what}": round(handed / calls, 1),
        f"{what}_calls_limit": limits.write_calls if is_write else limits.read_calls,
        "weight_percent": 100,
    }
    if is_write and limits.write_factor:
        evidence["write_factor_limit"] = limits.write_factor
    if advised:
        evidence["construct"] = advised.construct
    return Finding(code="call-limit", evidence=evidence, lines=lines_of(advised.places) if advised else ())


def say_excess(telling: Telling) -> Said:
    """Tell how many calls the case made, and how many are allowed."""
    kind = telling.text("too_many")
    text = _("The answer for {test_case} is right, but your program made {calls} for it.")
    text = telling.fill(text, calls=telling.sized_calls(kind))
    if telling.has("construct"):
        advice = what_to_do(telling)
    elif kind == "write":
        advice = _("Buffer the output and write it in larger pieces.")
    else:
        advice = _("Read the input in larger pieces.")
    has_factor, has_most = telling.has("write_factor_limit"), telling.has(f"{kind}_calls_limit")
    if has_factor and has_most:
        sentence = _(
            "The limits for a test case are {most} calls, and {factor} times the calls of the reference submission."
        )
    elif has_factor:
        sentence = _("The limit for a test case is {factor} times the calls of the reference submission.")
    elif has_most:
        sentence = _("The limit for a test case is {most} calls.")
    else:
        return Said(text=text, advice=advice)
    factor = f"{telling.value('write_factor_limit'):g}" if has_factor else ""
    allowed = sentence.format(most=f"{telling.value(f'{kind}_calls_limit') or 0:,}", factor=factor)
    return Said(text=f"{text} {allowed}", advice=advice)


def find_flushes(facts: Facts) -> Finding | None:
    """Find a case where many small writes to stdout took a large share of the CPU time in the kernel."""
    case = facts.focus
    # A conversation needs its flushes.
    if facts.is_interactive or case is None or case.io.write_calls < MANY_CALLS or not facts.is_slow(case):
        return None
    mean, least = case.io.write_bytes / case.io.write_calls, facts.language.costs.call_percent
    if mean > SMALL_WRITE_BYTES or facts.most_blamed_percent(case, case.io.write_calls) < least:
        return None
    calls = facts.calls(case)
    blamed = facts.blamed_percent(case, calls.to_stdout, matters_from=least)
    if blamed < least or percent(calls.to_stdout, calls.writes) < _OF_STDOUT:
        return None
    advised = advise(facts.code, facts.language)
    rest = _rest(facts, case) if advised else ""
    writes_again = facts.code.has(Deed.PRINT, Deed.WRITE, Deed.FLUSH, repeated=True)  # also in a recursion
    return Finding(
        code="flush-per-line",
        evidence={
            **facts.where(case),
            "write_calls": case.io.write_calls,
            "bytes_per_write": round(mean, 1),
            **facts.kernel(case),
            "weight_percent": min(100, blamed * facts.language.costs.call_factor),
            **({"construct": advised.construct} if advised else {"is_in_no_loop": not writes_again}),
            **({"rest": rest} if rest else {}),
        },
        lines=lines_of(advised.places) if advised else (),
    )


def _rest(facts: Facts, case: CaseJudged) -> str:
    """Return what prints each line and may still be too slow without its flush; "" if that is not to be expected."""
    names = {place.name for place in facts.code.find(Deed.PRINT, streams=(Stream.STDOUT,), repeated=True)}
    works = {name: work for name, work in facts.language.piecework.items() if name in names and work.is_of_output}
    dearest = max(works, key=lambda name: works[name].least_ns, default="")
    printed = facts.pieces(case).printed
    least_us = printed * works[dearest].least_ns // 1_000 if dearest else 0
    return dearest if case.verdict is Verdict.TLE and percent(least_us, facts.limit_us) >= _REST_SHARE else ""


def say_flushes(telling: Telling) -> Said:
    """Tell how many writes there were, and what they cost."""
    sentence = _(
        "Your program made {writes} on {where}; {percent} of its CPU time ({system_time} of {cpu_time}) was spent in "
        "the kernel."
    )
    text = telling.fill(sentence, writes=telling.sized_calls("write"))
    if telling.has("construct"):
        constructs = telling.language.piecework if telling.language and telling.has("rest") else {}
        rest = constructs.get(telling.text("rest")) if constructs else None
        further = [_("That alone may not be enough."), _(rest.advice)] if rest else []
        return Said(text=text, advice=" ".join([what_to_do(telling), *further]))
    if telling.has("is_in_no_loop"):  # what repeats the writes is unknown, and may be no intention
        return Said(text=text)
    return Said(text=text, advice=_("Gather the output and hand it over in large pieces."))


def find_debugging(facts: Facts) -> Finding | None:
    """Find a case where most of many writes went to stderr and took a large share of the CPU time in the kernel."""
    case = facts.focus
    if case is None or not case.stderr_bytes or case.io.write_calls < MANY_CALLS or not facts.is_slow(case):
        return None
    least = facts.language.costs.call_percent
    if facts.most_blamed_percent(case, case.io.write_calls) < least:
        return None
    calls = facts.calls(case)
    blamed = facts.blamed_percent(case, calls.to_stderr, matters_from=least)
    if blamed < least or percent(calls.to_stderr, calls.writes) < _OF_STDERR:
        return None
    return Finding(
        code="unbuffered-stderr",
        evidence={
            **facts.where(case),
            "stderr_bytes": case.stderr_bytes,
            "write_calls": case.io.write_calls,
            **facts.kernel(case),
            "weight_percent": min(100, blamed * facts.language.costs.call_factor),
        },
        lines=lines_of(debugging_places(facts.code)),
    )


def say_debugging(telling: Telling) -> Said:
    """Tell how much went to stderr, and what it cost."""
    sentence = _(
        "Your program wrote {stderr} to stderr on {where}, which nobody checks. Most of its {writes} went there; "
        "{percent} of its CPU time ({system_time} of {cpu_time}) was spent in the kernel."
    )
    return Said(text=telling.fill(sentence), advice=_(telling.language.advice.stderr) if telling.language else "")


def find_reads(facts: Facts) -> Finding | None:
    """Find a case where many small reads took a large share of the CPU time in the kernel."""
    case = facts.focus
    if facts.is_interactive or case is None or case.io.read_calls < MANY_CALLS or not facts.is_slow(case):
        return None
    mean, least = case.io.read_bytes / case.io.read_calls, facts.language.costs.call_percent
    if mean > SMALL_READ_BYTES:
        return None
    blamed = facts.blamed_percent(case, case.io.read_calls, matters_from=least)
    if blamed < least or reads_past_end(facts, case):
        return None
    profile = facts.profile(case)
    # Most of the reads are known to be of stdin, and not of a file of the program's own.
    of_stdin = (
        profile is not None
        and "stdin" in profile.streams
        and 2 * profile.streams["stdin"].calls > sum(profile.syscalls.get(name, 0) for name in _READS)
    )
    fetching = facts.code.find(Deed.FETCH, streams=_IN, repeated=True)
    places = fetching + facts.code.find(Deed.UNBUFFER, streams=(Stream.STDIN,)) if of_stdin else ()
    return Finding(
        code="tiny-reads",
        evidence={
            **facts.where(case),
            "is_of_stdin": of_stdin,
            "read_calls": case.io.read_calls,
            "bytes_per_read": round(mean, 1),
            **facts.kernel(case),
            "weight_percent": min(100, blamed * facts.language.costs.call_factor),
        },
        lines=lines_of(places),
    )


def say_reads(telling: Telling) -> Said:
    """Tell how many reads there were, and what they cost."""
    sentence = _(
        "Your program made {reads} on {where}; {percent} of its CPU time ({system_time} of {cpu_time}) was spent in "
        "the kernel."
    )
    text = telling.fill(sentence, reads=telling.sized_calls("read"))
    advice = _("Reading larger pieces takes fewer calls.")
    if telling.has("is_of_stdin") and telling.language:
        advice = f"{advice} {_(telling.language.advice.larger_reads)}"
    return Said(text=text, advice=advice)


RULES = (
    Rule(
        code="call-limit",
        find=find_excess,
        say=say_excess,
        about=About.TIME,
        reason=Reason.IO,
        hint=gettext_noop("The answer is right, in too many calls: gather the output, read in large pieces."),
    ),
    Rule(
        code="flush-per-line",
        find=find_flushes,
        say=say_flushes,
        about=About.TIME,
        reason=Reason.IO,
        hint=gettext_noop("Gather the output: one flush at the end instead of one per line."),
        leaves_time_open=False,
    ),
    Rule(
        code="unbuffered-stderr",
        find=find_debugging,
        say=say_debugging,
        about=About.TIME,
        reason=Reason.IO,
        hint=gettext_noop("Take out the debugging prints to stderr: each piece of them is a system call."),
        leaves_time_open=False,
    ),
    Rule(
        code="tiny-reads",
        find=find_reads,
        say=say_reads,
        about=About.TIME,
        reason=Reason.IO,
        hint=gettext_noop("Read the input in large pieces, not byte by byte."),
    ),
)
