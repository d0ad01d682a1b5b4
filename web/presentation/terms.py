"""The terms that a reader may ask about beside a number."""

from django.utils.translation import gettext_lazy as _

HELP = "/help/"  # the page of the whole explanation; its headings have the terms' ids
TERMS = {  # by the id in addresses and in the tag `{% term %}`: name and sentence
    "kernel": (
        _("Kernel"),
        _(
            "The core of the operating system. A program asks it to read, write or get memory, by system calls; each "
            "call takes time."
        ),
    ),
    "write-call": (
        _("Write call"),
        _(
            "A system call that hands bytes to the kernel. A buffer gathers many small outputs into one call; a flush "
            "makes a call at once."
        ),
    ),
    "user-time": (_("User time"), _("Time in which a core ran the program's own code.")),
    "system-time": (
        _("System time"),
        _("Time in which the kernel worked for the program, mostly in its system calls."),
    ),
    "cpu-time": (
        _("CPU time"),
        _("User time and system time together, of all threads and processes. The time limit is on it."),
    ),
    "wall-time": (_("Wall time"), _("Time by the clock, also while the program waits.")),
    "context-switch": (
        _("Context switch"),
        _(
            "A core leaves the program for another one: voluntary when the program waits, involuntary when its turn is "
            "over."
        ),
    ),
    "peak-memory": (_("Peak memory"), _("The most memory that the program held at once.")),
}
TERM_OF_MEASURE = {
    "user_time_us": "user-time",
    "system_time_us": "system-time",
    "cpu_time_us": "cpu-time",
    "wall_time_us": "wall-time",
    "peak_memory_bytes": "peak-memory",
    "write_calls": "write-call",
    "voluntary_switches": "context-switch",
}
