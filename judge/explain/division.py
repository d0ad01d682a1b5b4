"""A division that cannot be done ends a C++ program with a signal whose name does not say so."""

import signal

from judge.events import Finding
from judge.explain.story import Story
from judge.languages import CPP
from judge.verdicts import Verdict

_TEXTS = {
    signal.SIGILL: (
        "SIGILL nearly always means that an integer was divided by zero, with / or %: "
        "the program is compiled with a check of every divisor, and this is how the check ends it."
    ),
    signal.SIGFPE: (
        "SIGFPE means that an integer division has no result, as that of the smallest integer by -1; "
        "it has nothing to do with floating point."
    ),
}


def find(story: Story) -> Finding | None:
    """Explains SIGILL and SIGFPE of the first case that failed."""
    case = story.first_failure
    if case is None or case.verdict is not Verdict.RE or story.language is not CPP or case.signal not in _TEXTS:
        return None
    number = signal.Signals(case.signal)
    return Finding(code="division", text=_TEXTS[number], evidence={"test_case": case.name, "signal": number.name})
