"""Load at a fixed rate: requests begin when they are due, however long the earlier ones take (an open loop).

A request's latency counts from the moment at which it was due, not from when it was sent: a driver that falls behind
hides nothing that way. What is refused, breaks, or has no answer after the time-out is *dropped*, and counts with the
time-out at least where quantiles are taken: leaving it out would make a site look the faster the more it drops.
"""

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass

from bench.jail.statistic import quantile

Send = Callable[[int], Awaitable[bool]]


@dataclass(frozen=True, kw_only=True, slots=True)
class Arrival:
    """One request: when it was due and when it ended, in seconds since the start; whether it was accepted."""

    due_s: float
    ended_s: float
    is_taken: bool

    @property
    def latency_s(self) -> float:
        """From when it was due."""
        return self.ended_s - self.due_s


@dataclass(frozen=True, kw_only=True, slots=True)
class Load:
    """The results of all arrivals."""

    sent: int
    taken: int
    dropped: int
    throughput: float  # taken a second, until the last answer
    mean_ms: float
    p50_ms: float
    p95_ms: float
    p99_ms: float
    max_ms: float

    @property
    def dropped_pct(self) -> float:
        """The share that was dropped."""
        return 100 * self.dropped / self.sent


def due_times(rate: float, seconds: float) -> list[float]:
    """When each request is due, in seconds since the start."""
    return [number / rate for number in range(round(rate * seconds))]


async def send_at_rate(send: Send, *, rate: float, seconds: float, timeout_s: float) -> list[Arrival]:
    """Begin `send(number)` at this rate for so long, and wait for all answers. `send` tells whether it was taken."""
    loop = asyncio.get_running_loop()
    began_at = loop.time()

    async def one(number: int, due_s: float) -> Arrival:
        await asyncio.sleep(began_at + due_s - loop.time())
        try:
            async with asyncio.timeout_at(began_at + due_s + timeout_s):
                is_taken = await send(number)
        except (OSError, TimeoutError):
            is_taken = False
        return Arrival(due_s=due_s, ended_s=loop.time() - began_at, is_taken=is_taken)

    return await asyncio.gather(*(one(number, due_s) for number, due_s in enumerate(due_times(rate, seconds))))


def load_of(arrivals: Sequence[Arrival], *, timeout_s: float) -> Load:
    """Rates and quantiles."""
    taken = [each for each in arrivals if each.is_taken]
    latencies = [1_000 * (each.latency_s if each.is_taken else max(each.latency_s, timeout_s)) for each in arrivals]
    return Load(
        sent=len(arrivals),
        taken=len(taken),
        dropped=len(arrivals) - len(taken),
        throughput=round(_throughput(arrivals, len(taken)), 2),
        mean_ms=round(sum(latencies) / len(latencies), 2),
        p50_ms=round(quantile(latencies, 0.5), 2),
        p95_ms=round(quantile(latencies, 0.95), 2),
        p99_ms=round(quantile(latencies, 0.99), 2),
        max_ms=round(max(latencies), 2),
    )


def _throughput(arrivals: Sequence[Arrival], taken: int) -> float:
    """Over the time that the arrivals were spread over, or until the last one was taken when that was later."""
    spread_s = max(each.due_s for each in arrivals) * len(arrivals) / max(1, len(arrivals) - 1)
    last_s = max((each.ended_s for each in arrivals if each.is_taken), default=0.0)
    return taken / max(spread_s, last_s)
