"""What came of running a case with its output buffered: both runs on one scale, and what may be said of them.

A claim needs identical output. Everything else is said as it is: how far the two could be compared, or that they
differ.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, ngettext

from judge.grading.sameness import is_faster
from judge.grading.verdicts import Verdict
from judge.models import TestCaseResult
from web.presentation.charts import RunTimes, TimeBar, TimeScale, time_scale
from web.presentation.rounding import EXACT, Rounding
from web.presentation.units import count, duration, limit

_FEW_WRITES = 100
_DIFFERENT = gettext_lazy(
    "The program was run as it is and with output buffered, and what it wrote was not the same, or not its exit "
    "code. That is so when it hangs on the time, on chance or on addresses. So nothing is claimed."
)


@dataclass(frozen=True, kw_only=True, slots=True)
class RunView:
    """One of the two runs. `bar` is drawn on the rerun's scale."""

    title: str
    times: RunTimes
    cpu_us: int
    bar: TimeBar
    write_calls: int
    verdict: Verdict


@dataclass(frozen=True, kw_only=True, slots=True)
class BufferedView:
    """A rerun for one reader. `measured` is the sentence with the two times, `claim` what follows from it.

    `runs` is empty when the two cannot be compared: then there is nothing to draw.
    """

    is_proof: bool  # the same output, in less time or in few enough calls
    measured: str
    claim: str
    runs: tuple[RunView, ...]
    scale: TimeScale | None
    went_on: bool = False  # the run as it is came to its end here, and the judged one was stopped before it


def buffered_view(result: TestCaseResult, limit_ms: int, shown: Rounding) -> BufferedView | None:
    """The rerun of a case; None when there is none."""
    rerun: dict[str, Any] | None = result.buffered
    if rerun is None:
        return None
    if not rerun["is_identical"] and (rerun["is_whole"] or not _is_beginning(rerun)):
        return BufferedView(is_proof=False, measured="", claim=str(_DIFFERENT), runs=(), scale=None)
    times = {name: _times(rerun[name]["usage"], shown) for name in ("plain", "buffered")}
    scale = time_scale(times.values(), limit_ms * 1_000)

    def view(name: str, title: str) -> RunView:
        return RunView(
            title=title,
            times=times[name],
            cpu_us=shown.cpu_time_us(sum(rerun[name]["usage"][part] for part in ("user_time_us", "system_time_us"))),
            bar=scale.bar(times[name]),
            write_calls=shown.write_calls(rerun[name]["io"]["write_calls"]),
            verdict=Verdict(rerun[name]["verdict"]),
        )

    plain, buffered = view("plain", _("as it is")), view("buffered", _("buffered"))
    if rerun["is_identical"]:
        measured, claim, is_proof = _said(plain, buffered, rerun, was_accepted=result.verdict == Verdict.AC)
    else:
        measured, claim, is_proof = _of_a_part(plain, buffered, shown.count(rerun["same_bytes"]))
    if buffered.verdict is Verdict.TLE and buffered.cpu_us > limit_ms * 1_000:
        claim = f"{claim} {_not_enough(buffered, limit_ms)}"
    return BufferedView(
        is_proof=is_proof,
        measured=measured,
        claim=claim,
        runs=(plain, buffered),
        scale=scale,
        went_on=rerun["is_whole"] and _was_stopped(result, rerun),
    )


def _said(plain: RunView, buffered: RunView, rerun: Mapping[str, Any], *, was_accepted: bool) -> tuple[str, str, bool]:
    """Of identical output: what was measured, what may be claimed of it, and whether it proves anything."""
    needs_fewer_calls = plain.verdict is Verdict.SLE and buffered.verdict is Verdict.AC
    if _gained_nothing(rerun) and needs_fewer_calls and buffered.write_calls < plain.write_calls:
        measured = ngettext(
            "Measured: %(calls)s write call instead of %(before)s.",
            "Measured: %(calls)s write calls instead of %(before)s.",
            buffered.write_calls,
        ) % {"calls": count(buffered.write_calls), "before": count(plain.write_calls)}
        return measured, "" if was_accepted else _(Verdict.AC.record.when_buffered), True
    if _gained_nothing(rerun):
        return _without_gain(plain, buffered)
    times = {"buffered": duration(buffered.cpu_us), "plain": duration(plain.cpu_us)}
    measured = _("Measured: %(buffered)s instead of %(plain)s.") % times
    if buffered.verdict is not Verdict.AC:
        return measured, _(buffered.verdict.record.when_buffered), True
    if was_accepted:
        return measured, "", True
    if plain.verdict is Verdict.AC:
        return measured, _("This time it was accepted as it is, too."), True
    return measured, _(Verdict.AC.record.when_buffered), True


def _of_a_part(plain: RunView, buffered: RunView, same_bytes: int) -> tuple[str, str, bool]:
    """The run as it is did not come to an end."""
    measured = _("With output buffered, the program ended after %(time)s of CPU time.") % {
        "time": duration(buffered.cpu_us)
    }
    claim = ngettext(
        "Without buffering, it did not finish within %(time)s. Up to that point both outputs are identical (%(bytes)s "
        "byte). The rest cannot be compared, so Tally draws no conclusion.",
        "Without buffering, it did not finish within %(time)s. Up to that point both outputs are identical (%(bytes)s "
        "bytes). The rest cannot be compared, so Tally draws no conclusion.",
        same_bytes,
    ) % {"time": duration(plain.cpu_us), "bytes": count(same_bytes)}
    return measured, claim, False


def _not_enough(buffered: RunView, limit_ms: int) -> str:
    """Tell that buffering is only the first step, and what the next one is."""
    return _(
        "Buffering alone is not enough: %(time)s, and the limit is %(limit)s. Next: print less often. Gather about "
        "1,000 lines in one string, and print it with one call."
    ) % {"time": duration(buffered.cpu_us), "limit": limit(limit_ms)}


def _without_gain(plain: RunView, buffered: RunView) -> tuple[str, str, bool]:
    times = {"buffered": duration(buffered.cpu_us), "plain": duration(plain.cpu_us)}
    measured = _("It makes no difference: %(buffered)s with output buffered, %(plain)s as it is.") % times
    calls = {"calls": count(plain.write_calls), "left": count(buffered.write_calls)}
    if plain.write_calls <= _FEW_WRITES:
        few = ngettext(
            "As it is, it makes %(calls)s write call.", "As it is, it makes %(calls)s write calls.", plain.write_calls
        )
        return measured, few % calls, False
    if buffered.write_calls * 2 > plain.write_calls:
        stayed = ngettext(
            "Of %(calls)s write call, %(left)s stayed: they could not be buffered.",
            "Of %(calls)s write calls, %(left)s stayed: they could not be buffered.",
            plain.write_calls,
        )
        return measured, stayed % calls, False
    return measured, _("Fewer write calls do not make it faster."), False


def _was_stopped(result: TestCaseResult, rerun: Mapping[str, Any]) -> bool:
    """Whether the judged run ended at its time limit, with writes still to come."""
    return result.verdict == Verdict.TLE and result.write_calls < rerun["plain"]["io"]["write_calls"]


def _gained_nothing(rerun: Mapping[str, Any]) -> bool:
    plain, buffered = (_times(rerun[name]["usage"], EXACT).cpu_us for name in ("plain", "buffered"))
    return not is_faster(buffered, plain)


def _is_beginning(rerun: Mapping[str, Any]) -> bool:
    """Whether all that the stopped run wrote is the beginning of what the gathered one wrote."""
    plain = rerun["plain"]
    return bool(rerun["same_bytes"] == plain["stdout_bytes"] + plain["stderr_bytes"])


def _times(usage: Mapping[str, int], shown: Rounding) -> RunTimes:
    user_us, system_us = usage["user_time_us"], usage["system_time_us"]
    waiting_us = max(0, usage["wall_time_us"] - user_us - system_us - usage["queued_time_us"])
    return RunTimes(
        user_us=shown.time_us(user_us), system_us=shown.time_us(system_us), waiting_us=shown.time_us(waiting_us)
    )
