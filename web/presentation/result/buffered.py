"""The buffered rerun of a case for its page: both runs on one scale, and the claim that they allow.

A claim needs identical output. Everything else is said as it is: how far the two could be compared, or that they
differ.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, ngettext

from judge.grading.verdicts import Verdict
from judge.models import TestCaseResult
from web.presentation.charts import RunTimes, TimeBar, TimeScale, time_scale
from web.presentation.rounding import EXACT, Rounding
from web.presentation.units import count, duration

_LEAST_GAIN = 0.9  # of the CPU time as it is: a run that takes more than this part of it has gained nothing
_LEAST_GAIN_US = 2_000
_FEW_WRITES = 100
_DIFFERENT = gettext_lazy(
    "The program was run as it is and with output buffered, and what it wrote was not the same, or not its exit "
    "code. That is so when it hangs on the time, on chance or on addresses. So nothing is claimed."
)


@dataclass(frozen=True, kw_only=True, slots=True)
class RunView:
    """One of the two runs. `bar` is drawn on the trial's scale."""

    title: str
    times: RunTimes
    cpu_us: int
    bar: TimeBar
    write_calls: int
    verdict: Verdict


@dataclass(frozen=True, kw_only=True, slots=True)
class TrialView:
    """A trial for one reader. `measured` is the sentence with the two times, `claim` what follows from it.

    `runs` is empty when the two cannot be compared: then there is nothing to draw.
    """

    is_proof: bool  # the same output, in less time or in few enough calls
    measured: str
    claim: str
    runs: tuple[RunView, ...]
    scale: TimeScale | None
    went_on: bool = False  # the run as it is came to its end here, and the judged one was stopped before it


def trial_view(result: TestCaseResult, limit_ms: int, shown: Rounding) -> TrialView | None:
    """Return the trial of a case; None without one."""
    trial: dict[str, Any] | None = result.buffered
    if trial is None:
        return None
    if not trial["is_identical"] and (trial["is_whole"] or not _is_beginning(trial)):
        return TrialView(is_proof=False, measured="", claim=str(_DIFFERENT), runs=(), scale=None)
    times = {name: _times(trial[name]["usage"], shown) for name in ("plain", "buffered")}
    scale = time_scale(times.values(), limit_ms * 1_000)

    def view(name: str, title: str) -> RunView:
        return RunView(
            title=title,
            times=times[name],
            cpu_us=shown.cpu_time_us(sum(trial[name]["usage"][part] for part in ("user_time_us", "system_time_us"))),
            bar=scale.bar(times[name]),
            write_calls=shown.write_calls(trial[name]["io"]["write_calls"]),
            verdict=Verdict(trial[name]["verdict"]),
        )

    plain, buffered = view("plain", _("as it is")), view("buffered", _("buffered"))
    if trial["is_identical"]:
        measured, claim, is_proof = _said(plain, buffered, trial, was_accepted=result.verdict == Verdict.AC)
    else:
        measured, claim, is_proof = _of_a_part(plain, buffered, shown.count(trial["same_bytes"]))
    return TrialView(
        is_proof=is_proof,
        measured=measured,
        claim=claim,
        runs=(plain, buffered),
        scale=scale,
        went_on=trial["is_whole"] and _was_stopped(result, trial),
    )


def _said(plain: RunView, buffered: RunView, trial: Mapping[str, Any], *, was_accepted: bool) -> tuple[str, str, bool]:
    """Return what was measured on identical output, what may be claimed, and whether it proves anything."""
    needs_fewer_calls = plain.verdict is Verdict.SLE and buffered.verdict is Verdict.AC
    if _gained_nothing(trial) and needs_fewer_calls and buffered.write_calls < plain.write_calls:
        measured = ngettext(
            "Measured: %(calls)s write call instead of %(before)s.",
            "Measured: %(calls)s write calls instead of %(before)s.",
            buffered.write_calls,
        ) % {"calls": count(buffered.write_calls), "before": count(plain.write_calls)}
        return measured, "" if was_accepted else _(Verdict.AC.record.when_buffered), True
    if _gained_nothing(trial):
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
    """Describe a trial in which the unbuffered run did not end."""
    measured = f"With output buffered, the program ended after {duration(buffered.cpu_us)} of CPU time."
    claim = (
        f"As it is, it did not come to its end in {duration(plain.cpu_us)}. Up to there "
        f"both wrote the same {counted(same_bytes, 'byte')}; the rest could not be compared, so nothing is claimed."
    )
    return measured, claim, False


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


def _was_stopped(result: TestCaseResult, trial: Mapping[str, Any]) -> bool:
    """Return whether the judged run ended at its time limit, with writes still to come."""
    return result.verdict == Verdict.TLE and result.write_calls < trial["plain"]["io"]["write_calls"]


def _gained_nothing(trial: Mapping[str, Any]) -> bool:
    plain, buffered = (_times(trial[name]["usage"], EXACT).cpu_us for name in ("plain", "buffered"))
    return buffered > _LEAST_GAIN * plain or plain - buffered < _LEAST_GAIN_US


def _is_beginning(trial: Mapping[str, Any]) -> bool:
    """Return whether all that the stopped run wrote is the beginning of what the gathered one wrote."""
    plain = trial["plain"]
    return bool(trial["same_bytes"] == plain["stdout_bytes"] + plain["stderr_bytes"])


def _times(usage: Mapping[str, int], shown: Rounding) -> RunTimes:
    user_us, system_us = usage["user_time_us"], usage["system_time_us"]
    waiting_us = max(0, usage["wall_time_us"] - user_us - system_us - usage["queued_time_us"])
    return RunTimes(
        user_us=shown.time_us(user_us), system_us=shown.time_us(system_us), waiting_us=shown.time_us(waiting_us)
    )
