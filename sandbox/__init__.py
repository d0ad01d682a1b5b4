"""Run one program at a time in a jail and measure what it does. Standard library only; see README.md beside this file.

What others need can be imported from here. Each name is looked up when it is first asked for: who imports
`sandbox.types` alone loads nothing else.
"""

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from sandbox.doctor.doctor import Check, examine, why_unfit
    from sandbox.errors import (
        CgroupError,
        CommandError,
        DisturbedError,
        ImageError,
        JailError,
        LimitsError,
        MeterUnavailable,
        SandboxError,
        WorkdirError,
    )
    from sandbox.jail.jail import OpenJail
    from sandbox.jail.leftovers import remove_leftovers
    from sandbox.jail.pair import PairOutcome, Side, run_pair
    from sandbox.nsjail import NsjailSandbox
    from sandbox.types import (
        MIB,
        Collect,
        Command,
        Destination,
        Ending,
        Image,
        IoProfile,
        JailSpec,
        Limits,
        Mount,
        Outcome,
        Profile,
        StreamUse,
        TimelinePoint,
        Usage,
        Watch,
    )

# fmt: off
__all__ = [
    "MIB", "CgroupError", "Check", "Collect", "Command", "CommandError", "Destination", "DisturbedError", "Ending",
    "Image", "ImageError", "IoProfile", "JailError", "JailSpec", "Limits", "LimitsError", "MeterUnavailable", "Mount",
    "NsjailSandbox", "OpenJail", "Outcome", "PairOutcome", "Profile", "SandboxError", "Side", "StreamUse",
    "TimelinePoint", "Usage", "Watch", "WorkdirError", "examine", "remove_leftovers", "run_pair", "why_unfit",
]
# fmt: on
_MODULES = ("types", "errors", "nsjail", "jail.jail", "jail.pair", "jail.leftovers", "doctor.doctor")

if not TYPE_CHECKING:  # else every misspelt name would be there for mypy

    def __getattr__(name: str) -> object:
        """Import a public name from its module at first use. Source: PEP 562."""
        for module in map(import_module, (f"{__name__}.{module_name}" for module_name in _MODULES if name in __all__)):
            if hasattr(module, name):
                globals()[name] = getattr(module, name)
                return globals()[name]
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
