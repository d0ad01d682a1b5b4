"""Time on the clock in which the program wanted no core. Time in which the machine gave it none is not its doing."""

from judge.events import Finding
from judge.explain.code import lines_of
from judge.explain.story import Story
from judge.explain.syntax.places import Deed
from judge.words import duration, percent

_LONG_US = 300_000
_SHARE = 50  # per cent of the wall time for which the machine did not keep it waiting
_CONTENDED = 50  # so often a program loses its core only when something else, or its own threads, want it too


def find(story: Story) -> Finding | None:
    """Speaks when the case took long on the clock and for most of that the program was not ready to run."""
    if story.is_interactive:
        return None
    case = max(story.cases, key=lambda case: case.usage.wall_time_us, default=None)
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
    places = story.code.find(Deed.SLEEP)
    advice = "Sleeping costs no CPU time, but the clock goes on: leave it out." if places else ""
    return Finding(
        code="waiting",
        text=(
            f"On {case.name} your program took {duration(usage.wall_time_us)} on the clock but only "
            f"{duration(usage.cpu_time_us)} of CPU time: for {duration(idle)} it was waiting, not computing. It gave "
            f"up its core {usage.voluntary_switches:,} times by itself and lost it {usage.involuntary_switches:,} "
            "times."
        ),
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
        advice=advice,
    )
