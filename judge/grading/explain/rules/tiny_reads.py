"""Find input that is read in tiny pieces."""

from judge.grading.events import Finding
from judge.grading.explain.evidence.facts import MANY_CALLS, Facts
from judge.grading.explain.evidence.rule import About, Reason, Rule, Said, Telling
from judge.grading.reading.code import lines_of
from judge.grading.reading.places import Deed, Stream
from problems.translation import gettext as _
from problems.translation import gettext_noop

_SMALL_READ_BYTES = 64
_READS = ("read", "pread64", "readv", "preadv", "preadv2")
_IN = (Stream.STDIN, Stream.UNKNOWN)


def find(facts: Facts) -> Finding | None:
    """Find a case where many small reads took a large share of the CPU time in the kernel."""
    case = facts.focus
    if facts.is_interactive or case is None or case.io.read_calls < MANY_CALLS or not facts.is_slow(case):
        return None
    mean, least = case.io.read_bytes / case.io.read_calls, facts.language.costs.call_percent
    if mean > _SMALL_READ_BYTES:
        return None
    blamed = facts.blamed_percent(case, case.io.read_calls, matters_from=least)
    if blamed < least:
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


def say(telling: Telling) -> Said:
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


RULE = Rule(
    code="tiny-reads",
    find=find,
    say=say,
    about=About.TIME,
    reason=Reason.IO,
    hint=gettext_noop("Read the input in large pieces, not byte by byte."),
)
