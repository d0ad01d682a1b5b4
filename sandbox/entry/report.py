"""Report the outcome of a run, as JSON values for scripts and as lines for people."""

import dataclasses
from typing import Any

from sandbox.jail.pair import PairOutcome
from sandbox.types import MIB, Ending, Outcome, Profile

_MOST_MEMORY = {
    Ending.MEMORY_LIMIT: "when it was stopped: the kernel's limit is higher than this one by the room for its output"
}


def as_json(outcome: Outcome, profile: Profile | None = None) -> dict[str, Any]:
    """Return the outcome as JSON values; the keys are the fields of sandbox.types, with `profile`, possibly None."""
    values = dataclasses.asdict(outcome)
    values["ending"], values["detail"] = outcome.ending.value, outcome.detail
    values["usage"]["cpu_time_us"] = outcome.usage.cpu_time_us
    values["profile"] = dataclasses.asdict(profile) if profile else None
    return values


def pair_as_json(pair: PairOutcome) -> dict[str, Any]:
    """Return the fields of sandbox.jail.pair.PairOutcome; the program has the profile."""
    return {
        "program": as_json(pair.program, pair.profile),
        "interactor": as_json(pair.interactor),
        "interactor_ended_first": pair.interactor_ended_first,
        "program_left_early": pair.program_left_early,
    }


def lines(outcome: Outcome, profile: Profile | None = None) -> list[str]:
    """Return lines for people: the ending, the usage, then the calls by name, most frequent first."""
    usage, io = outcome.usage, outcome.io
    rows = [
        f"{outcome.ending.value} {outcome.detail}".strip(),
        f"CPU time   {usage.cpu_time_us / 1e6:.3f} s (user {usage.user_time_us / 1e6:.3f}, "
        f"system {usage.system_time_us / 1e6:.3f}), wall {usage.wall_time_us / 1e6:.3f} s",
        f"memory     {usage.peak_memory_bytes / MIB:.1f} MiB {_MOST_MEMORY.get(outcome.ending, 'at most')}",
        f"reads      {io.read_calls:,} calls, {io.read_bytes:,} bytes",
        f"writes     {io.write_calls:,} calls, {io.write_bytes:,} bytes",
        f"switches   {usage.voluntary_switches:,} voluntary, {usage.involuntary_switches:,} involuntary",
    ]
    watch = outcome.watch
    for us, words in (
        (watch.gap_us, "s not counted, because its watcher stood still"),
        (watch.stopped_us, "s in which the program was stopped"),
        (watch.suspended_us, "s in which the machine was suspended"),
        (watch.host_gap_us, "s in which the host process stood still"),
    ):
        rows += [f"disturbed  {us / 1e6:.3f} {words}"] if us else []
    if profile is not None:
        uses = [(name, use) for name, use in profile.streams.items() if use.calls]
        rows += [f"{name:<10} {use.calls:,} calls, {use.bytes:,} bytes" for name, use in uses]
        calls = sorted(profile.syscalls.items(), key=lambda item: -item[1])
        rows += [f"{count:>12,}  {name}" for name, count in calls]
    return rows


def pair_lines(pair: PairOutcome) -> list[str]:
    """Return lines for both sides, and which ended first."""
    return [
        f"{'interactor' if pair.interactor_ended_first else 'program'} ended first",
        *(f"program    {line}" for line in lines(pair.program, pair.profile)),
        *(f"interactor {line}" for line in lines(pair.interactor)),
    ]
