"""The terms that a reader may ask about beside a number: a name, a sentence, and the place in the help."""

from dataclasses import dataclass

from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _

_HELP = "/help/"  # the page of the whole explanation; its headings have the terms' ids


@dataclass(frozen=True, kw_only=True, slots=True)
class Term:
    """One term. `id`: its name in addresses and in the tag `{% term %}`."""

    id: str
    name: str | Promise
    sentence: str | Promise

    @property
    def address(self) -> str:
        """The place in the help."""
        return f"{_HELP}#{self.id}"


_ALL = (
    Term(
        id="kernel",
        name=_("Kernel"),
        sentence=_(
            "The core of the operating system. A program asks it to read, write or get memory, by system calls; each "
            "call takes time."
        ),
    ),
    Term(
        id="write-call",
        name=_("Write call"),
        sentence=_(
            "A system call that hands bytes to the kernel. A buffer gathers many small outputs into one call; a flush "
            "makes a call at once."
        ),
    ),
    Term(id="user-time", name=_("User time"), sentence=_("Time in which a core ran the program's own code.")),
    Term(
        id="system-time",
        name=_("System time"),
        sentence=_("Time in which the kernel worked for the program, mostly in its system calls."),
    ),
    Term(
        id="cpu-time",
        name=_("CPU time"),
        sentence=_("User time and system time together, of all threads and processes. The time limit is on it."),
    ),
    Term(id="wall-time", name=_("Wall time"), sentence=_("Time by the clock, also while the program waits.")),
    Term(
        id="context-switch",
        name=_("Context switch"),
        sentence=_(
            "A core leaves the program for another one: voluntary when the program waits, involuntary when its turn is "
            "over."
        ),
    ),
    Term(id="peak-memory", name=_("Peak memory"), sentence=_("The most memory that the program held at once.")),
)
TERMS = {term.id: term for term in _ALL}
TERM_OF_MEASURE = {
    "user_time_us": "user-time",
    "system_time_us": "system-time",
    "cpu_time_us": "cpu-time",
    "wall_time_us": "wall-time",
    "peak_memory_bytes": "peak-memory",
    "write_calls": "write-call",
    "voluntary_switches": "context-switch",
}
