"""Two programs that talk to each other: a submission and its interactor, joined by two pipes, each in a jail of its own."""

from dataclasses import dataclass

from sandbox.jail import OpenJail
from sandbox.types import Command, Limits, Outcome, Profile


@dataclass(frozen=True, kw_only=True, slots=True)
class Side:
    """One of the two. Its stdin and stdout are the pipes, whatever the command says; stderr is the command's."""

    jail: OpenJail
    command: Command
    limits: Limits


@dataclass(frozen=True, kw_only=True, slots=True)
class PairOutcome:
    """What became of both."""

    program: Outcome
    interactor: Outcome
    interactor_ended_first: bool
    profile: Profile | None = None  # of the program


def run_pair(program: Side, interactor: Side, *, is_profiled: bool = False) -> PairOutcome:
    """Run both until both have ended, each within its own limits.

    Each pipe's ends stay open until their owner has ended: so the other one notices an end only after it was noted here,
    and who ended first is no matter of chance. A side that waits for ever ends at its own wall limit. Raises SandboxError;
    then neither jail can be used again.
    """
    raise NotImplementedError
