"""Judge cases of a multi-pass problem: the program runs repeatedly, each time on the validator's new input.

How it works: after a pass that the validator accepts, a nextpass.in in its feedback directory is the input of the
next one, for the program and for the validator, which finds there whatever it left before
(`judge.grading.checkers.validators`). Each pass is a run of its own, in a fresh scratch folder and within all limits
anew. The first one that is not accepted, or without a next input, gives the verdict. More passes than the problem
allows are the setter's fault, as is a nextpass.in beside a rejection: judge errors.

What is told of a case is of all its passes together: times, calls and bytes are sums, the peak memory is the highest.
So a case may show more CPU time than its time limit and be right: the limit is for each pass.

Source: "Multi-pass validation" in the ICPC/Kattis problem package format.
"""

import shutil
from collections import Counter
from collections.abc import Sequence
from dataclasses import fields, replace
from pathlib import Path

from judge.grading.events import Partner
from judge.grading.running.execution import PassRunner, Run
from judge.grading.verdicts import Verdict
from problems.package import TestCase
from problems.translation import Sentence, joined
from sandbox.types import IoProfile, Profile, StreamUse, Usage, Watch


class MultiPass:
    """Runs every pass of a case: a `running.execution.Runner`. Keeps the last case's inputs in `folder`."""

    def __init__(self, runner: PassRunner, most_passes: int, folder: Path) -> None:
        self._runner = runner
        self._most = most_passes
        self._folder = folder
        self._kept = ""  # the name of the case that was run last
        self._passes: list[TestCase] = []  # of it, each with its own input

    def run(self, case: TestCase) -> Run:
        """Run pass after pass until one decides."""
        self._kept, self._passes = case.name, [case]
        runs = [self._runner.run(case)]
        while (next_input := runs[-1].next_input) is not None:
            if len(runs) == self._most:
                why = Sentence(
                    "the checker wants a pass more than the %(most)s that the problem allows on %(case)s",
                    most=str(self._most),
                    case=case.name,
                )
                message = joined([why, runs[-1].message], "\n") if runs[-1].message else why
                return _together(runs, verdict=Verdict.JE, message=message)
            path = self._folder / f"pass-{len(runs) + 1}.in"
            shutil.copyfile(next_input, path)  # the validator's next run takes it away
            self._passes.append(replace(case, input=path))
            runs.append(self._runner.run(self._passes[-1], goes_on=True))
        return _together(runs, verdict=runs[-1].verdict, message=runs[-1].message)

    def profile(self, case: TestCase) -> Profile:
        """Run each pass of the case under the meter, with the same inputs; run the case before if another ran since."""
        if self._kept != case.name:
            self.run(case)
        profiles = [self._runner.profile(one_pass, goes_on=number > 0) for number, one_pass in enumerate(self._passes)]
        syscalls: Counter[str] = Counter()
        streams: dict[str, StreamUse] = {}
        for profile in profiles:
            syscalls.update(profile.syscalls)
        for name in profiles[0].streams:
            uses = [profile.streams[name] for profile in profiles]
            streams[name] = StreamUse(calls=sum(use.calls for use in uses), bytes=sum(use.bytes for use in uses))
        stopped_after_ms = max(profile.stopped_after_ms for profile in profiles)
        return Profile(syscalls=dict(sorted(syscalls.items())), streams=streams, stopped_after_ms=stopped_after_ms)


def _together(runs: Sequence[Run], *, verdict: Verdict, message: str) -> Run:
    """Combine all passes into one run; values that are no sums are the last pass's."""
    last = runs[-1]
    usages, accounts = [run.outcome.usage for run in runs], [run.outcome.io for run in runs]
    used = {column.name: sum(getattr(usage, column.name) for usage in usages) for column in fields(Usage)}
    used["peak_memory_bytes"] = max(usage.peak_memory_bytes for usage in usages)
    io = {column.name: sum(getattr(account, column.name) for account in accounts) for column in fields(IoProfile)}
    outcome = replace(
        last.outcome,
        usage=Usage(**used),
        io=IoProfile(**io),
        watch=sum((run.outcome.watch for run in runs), start=Watch()),
        stdout_bytes=sum(run.outcome.stdout_bytes for run in runs),
        stderr_bytes=sum(run.outcome.stderr_bytes for run in runs),
    )
    if last.partner:
        cpu_time_us = sum(run.partner.cpu_time_us for run in runs if run.partner)
        last = replace(last, partner=Partner(ended_first=last.partner.ended_first, cpu_time_us=cpu_time_us))
    return replace(
        last,
        outcome=outcome,
        verdict=verdict,
        message=message,
        next_input=None,
        passes=len(runs),
        slowest_pass_us=max(run.slowest_pass_us for run in runs),
    )
