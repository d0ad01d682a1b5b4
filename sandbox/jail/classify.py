"""Classify the facts of a run into its ending and its usage.

The order is the policy: memory, CPU time, wall time, output, signal, exit. Of several limits the first counts; but
output lies in memory, so of memory and output it is output.
"""

import os
from dataclasses import dataclass

from sandbox.cgroups.cgroup import SLACK_BYTES
from sandbox.jail.protocol import Reply, Stop
from sandbox.types import MIB, Ending, HostRuntime, IoProfile, Limits, Outcome, Usage, Watch

_LAST_STEPS_US = 500  # measured: 64 of 16 threads
_KERNEL_BYTES = MIB  # a group's charge holds the kernel's own pages for the processes


@dataclass(frozen=True, kw_only=True, slots=True)
class Facts:
    """All facts known about a started run."""

    reply: Reply
    limits: Limits
    runtime: HostRuntime
    oom_kills: int  # of the run's group, by the kernel
    group_peak_bytes: int  # of the run's group: page cache and scratch included; 0 when the kernel does not tell
    not_its_own_bytes: int  # of that, at the end: its output, and page cache of what it was the first to read
    stdout_bytes: int
    stderr_bytes: int
    group_system_us: int = 0  # of the group's CPU time, that in the kernel; asked for where `missing_cpu_us`


def missing_cpu_us(reply: Reply) -> int:
    """Return CPU time that only the group's account has: of children that the kernel reaped itself.

    The two accounts are one in all other runs, but for the last steps of threads that end after the process.
    """
    own = reply.user_us + reply.system_us
    missing = reply.group_cpu_us - own
    return missing if missing > max(_LAST_STEPS_US, own // 1_000) else 0


def _usage(facts: Facts) -> Usage:
    reply = facts.reply
    user, system = reply.user_us, reply.system_us
    missing = missing_cpu_us(reply)
    in_kernel = min(missing, max(0, facts.group_system_us - system))
    user, system = user + missing - in_kernel, system + in_kernel
    wall = max(0, reply.wall_us - reply.gap_us)
    return Usage(
        user_time_us=user,
        system_time_us=system,
        wall_time_us=wall,
        queued_time_us=min(reply.queued_us, wall),
        peak_memory_bytes=_peak_memory(facts),
        voluntary_switches=reply.voluntary_switches,
        involuntary_switches=reply.involuntary_switches,
        minor_faults=reply.minor_faults,
        major_faults=reply.major_faults,
    )


def _peak_memory(facts: Facts) -> int:
    """Return the highest resident memory in bytes, including the scratch folder's files.

    One process: the kernel's high-water mark, which counts no page cache, and what lies in the scratch folder, unless
    the program had mapped that: then the mark holds it already. But the mark knows no memory that is not mapped, as in
    a memfd or a removed file, and the marks of several processes do not add up. So where the group was charged for
    more, that counts, less its output and page cache; what is over the limit by less than the kernel's own pages for
    it is not over the limit.
    """
    mark = facts.reply.max_rss_bytes
    resident = mark + facts.reply.scratch_used_bytes
    if not facts.group_peak_bytes:
        return resident
    charged = facts.group_peak_bytes - facts.not_its_own_bytes
    if charged + facts.runtime.most_library_bytes < resident:
        resident = max(mark, charged)
    if facts.reply.is_single and not missing_cpu_us(facts.reply) and charged <= resident + _KERNEL_BYTES:
        return resident
    if charged <= facts.limits.memory_bytes + SLACK_BYTES:
        charged = min(charged + min(mark // 2, facts.runtime.library_bytes), facts.limits.memory_bytes)
    return max(resident, charged)


@dataclass(frozen=True, kw_only=True, slots=True)
class End:
    """The end of a run. `limit`: what ended it, of time in ms, else in bytes; `stream`: the one with too much."""

    ending: Ending
    limit: int = 0
    stream: str = ""


def decide_ending(facts: Facts, usage: Usage) -> End:
    """Return how the run ended, with the limit and the stream that decided it."""
    limits, stopped = facts.limits, facts.reply.stopped
    is_flooding = facts.stdout_bytes > limits.output_bytes or facts.stderr_bytes > limits.stderr_bytes
    if (facts.oom_kills or usage.peak_memory_bytes > limits.memory_bytes) and not is_flooding:
        return End(ending=Ending.MEMORY_LIMIT, limit=limits.memory_bytes)
    if stopped is Stop.CPU or usage.cpu_time_us > limits.cpu_time_ms * 1_000:
        return End(ending=Ending.CPU_LIMIT, limit=limits.cpu_time_ms)
    # `wall_that_counts_us` of native/init/watch.c, for a run that ended between two checks
    wall_us = facts.reply.wall_us - facts.reply.late_us - min(facts.reply.queued_us, limits.wall_time_ms * 1_000)
    if stopped is Stop.WALL or wall_us > limits.wall_time_ms * 1_000:
        return End(ending=Ending.WALL_LIMIT, limit=limits.wall_time_ms)
    if stopped is Stop.STDOUT or facts.stdout_bytes > limits.output_bytes:
        return End(ending=Ending.OUTPUT_LIMIT, limit=limits.output_bytes, stream="stdout")
    if stopped is Stop.STDERR or facts.stderr_bytes > limits.stderr_bytes:
        return End(ending=Ending.OUTPUT_LIMIT, limit=limits.stderr_bytes, stream="stderr")
    status = facts.reply.wait_status
    if os.WIFSIGNALED(status):
        return End(ending=Ending.SIGNALLED)
    if os.WEXITSTATUS(status) == facts.runtime.memory_exit_code:
        return End(ending=Ending.MEMORY_LIMIT, limit=limits.memory_bytes)
    return End(ending=Ending.EXITED)


def conclude(facts: Facts, collected: tuple[str, ...]) -> Outcome:
    """Return the outcome of a started run."""
    usage = _usage(facts)
    end = decide_ending(facts, usage)
    status, reply = facts.reply.wait_status, facts.reply
    return Outcome(
        ending=end.ending,
        limit=end.limit,
        stream=end.stream,
        exit_code=os.WEXITSTATUS(status) if os.WIFEXITED(status) else None,
        signal=os.WTERMSIG(status) if os.WIFSIGNALED(status) else None,
        usage=usage,
        io=IoProfile(
            read_calls=reply.read_calls,
            write_calls=reply.write_calls,
            read_bytes=reply.read_bytes,
            write_bytes=reply.write_bytes,
        ),
        watch=Watch(
            late_us=reply.late_us,
            longest_late_us=reply.longest_late_us,
            gap_us=reply.gap_us,
            stopped_us=reply.stopped_us,
            suspended_us=reply.suspended_us,
        ),
        stdout_bytes=facts.stdout_bytes,
        stderr_bytes=facts.stderr_bytes,
        collected=collected,
    )
