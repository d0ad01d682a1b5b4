"""Find wall time in which the program wanted no core. Time in which the machine gave it none does not count."""

from judge.grading.events import Finding
from judge.grading.explain.evidence.facts import Facts
from judge.grading.explain.evidence.rule import About, Reason, Rule, Said, Telling
from judge.grading.reading.places import Deed, lines_of
from judge.grading.words import percent
from problems.translation import gettext as _, gettext_noop

_LONG_US = 300_000
_SHARE = 50  # per cent of the wall time for which the machine did not keep it waiting
_CONTENDED = 50  # so often a program loses its core only when something else, or its own threads, want it too


def find(facts: Facts) -> Finding | None:
    """Find a case that took long by the clock while the program was mostly not ready to run."""
    if facts.is_interactive:
        return None
    case = max(facts.cases, key=lambda case: case.usage.wall_time_us, default=None)
    if case is None:
        return None
    usage = case.usage
    idle = usage.waiting_time_us
    share = percent(idle, usage.wall_time_us - usage.queued_time_us)
    if idle < _LONG_US or share < _SHARE:
        return None
    # The kernel tells for the first thread only how long it was ready without a core; others show in lost cores.
    if usage.involuntary_switches > max(_CONTENDED, usage.voluntary_switches):
        return None
    places = facts.code.find(Deed.SLEEP)
    return Finding(
        code="waiting",
        evidence={
            "test_case": case.name,
            "wall_time_us": usage.wall_time_us,
            "cpu_time_us": usage.cpu_time_us,
            "waiting_time_us": idle,
            "voluntary_switches": usage.voluntary_switches,
            "involuntary_switches": usage.involuntary_switches,
            "weight_percent": share,
        },
        lines=lines_of(places),
    )


def say(telling: Telling) -> Said:
    """Tell how long it waited; the lines are those that sleep."""
    waited = _(
        "On {test_case} your program took {wall_time} on the clock but only {cpu_time} of CPU time: for {waiting_time} "
        "it was waiting, not computing."
    )
    switches = _(
        "It gave up its core {given} (voluntary context switches), and the kernel took it away {lost} (involuntary)."
    ).format(given=telling.times("voluntary_switches"), lost=telling.times("involuntary_switches"))
    advice = _("Sleeping costs no CPU time, but the clock goes on: leave it out.") if telling.lines else ""
    return Said(text=f"{telling.fill(waited)} {switches}", advice=advice)


RULE = Rule(
    code="waiting",
    find=find,
    say=say,
    about=About.TIME,
    reason=Reason.WAITING,
    hint=gettext_noop("The program waits most of the time: look at what it waits for."),
    leaves_time_open=False,
)
