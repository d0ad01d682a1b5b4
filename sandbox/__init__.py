"""Run one program at a time in a jail and measure what it does. Standard library only; see README.md beside this file.

What others need can be imported from here: `sandbox.entry.public` has it. It is loaded when a name is first asked for:
who imports `sandbox.types` alone loads nothing else.
"""
# ruff: noqa: F403, F405

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from sandbox.entry.public import *

# fmt: off
__all__ = [
    "MIB", "CgroupError", "Check", "Collect", "Command", "CommandError", "Destination", "DisturbedError", "Ending",
    "Image", "ImageError", "IoProfile", "JailError", "JailSpec", "Limits", "LimitsError", "MeterUnavailable", "Mount",
    "NsjailSandbox", "OpenJail", "Outcome", "PairOutcome", "Profile", "SandboxError", "Side", "StreamUse",
    "TimelinePoint", "Usage", "Watch", "WorkdirError", "examine", "remove_leftovers", "run_pair", "why_unfit",
]
# fmt: on

if not TYPE_CHECKING:  # else every misspelt name would be there for mypy

    def __getattr__(name: str) -> object:
        """Return a public name at its first use. Source: PEP 562."""
        if name not in __all__:
            raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
        globals()[name] = value = getattr(import_module("sandbox.entry.public"), name)
        return value
