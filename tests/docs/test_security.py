"""docs/security.md states the bits that the numbers of a hidden case can carry, as the code lets them through.

A number carries log2 of how many different values of it can be shown, up to what a run of ten seconds can make of it.
"""

import math
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, fields
from pathlib import Path

from judge.grading.case_ending import SHOWN_SIGNALS, CallExcess, CaseEnding, TokenDifference
from judge.grading.events import BufferChange
from judge.grading.explain import RULES
from judge.grading.explain.evidence.laws import exact_laws, ratios
from judge.grading.explain.evidence.sizes import NAMES as SIZES
from judge.grading.fixes import FIXES
from judge.grading.languages import LANGUAGES
from judge.grading.margin import RUNS
from judge.grading.measures import MEASURES, STORED, Kind
from judge.grading.near_limit import MORE_RUNS
from judge.grading.reading.program_errors import ErrorKind, Origin, ProgramError
from judge.grading.reruns.growth_runs import MOST_BETWEEN, MOST_OWN
from judge.grading.reruns.repeats import FEWEST_RUNS, MOST_RUNS
from judge.grading.verification.generated import WHOLE_STEPS
from judge.models import TestCaseResult
from sandbox.types import STREAMS, Ending
from web.access.rounding import CORE_PARTS, MOST_NAMES, STEPS, Rounding
from web.presentation.charts import RunTimes
from web.presentation.measures import Measures, measures_of
from web.presentation.proof.buffered import BufferedView, Claim, RunView
from web.presentation.proof.fix import FixView
from web.presentation.proof.lines import LineCostsView, LineCostView, LineTimesView, LineTimeView
from web.presentation.proof.near_limit import NearLimitView
from web.presentation.proof.timeline import TimelineView
from web.presentation.result.case import ProfileView, StreamView

PAGE = Path(__file__).parents[2] / "docs" / "security.md"
HIDDEN = Rounding(is_exact=False)
MOST_COUNT, MOST_US, MOST_MEMORY = 10**7, 10 * 10**6, 2 * 1024**3  # of a run of ten seconds
MOST_STEPS = 10**18  # that a law reckons
NAMES, LINES = 380, 1_000  # system calls that the kernel has; lines of a source
SHARES = 101  # whole per cents
MOST_POWER = 10  # from 4 ms to ten seconds, over sizes of which the largest is four times the smallest, is under 6
ROW = [measure for measure in MEASURES if measure.mean_of is None]  # a mean follows from two of these
TIMES = {measure.name for measure in ROW if measure.kind is Kind.TIME}
COUNTS = {measure.name for measure in ROW if measure.kind not in (Kind.TIME, Kind.MEMORY)}


def _number(one: Callable[[float], int], most: int) -> float:
    """The bits that one rounded number carries."""
    values, number = set(), 0
    while number <= most:  # every value that is shown is met: steps are smaller than those of three digits
        values.add((type(one(number)), int(one(number))))
        number += max(1, number // 1_000)
    return math.log2(len(values))


def _chosen(most: int, of: int) -> float:
    """The bits of choosing a few of many; their order follows from their counts."""
    return math.log2(sum(math.comb(of, number) for number in range(most + 1)))


@dataclass(frozen=True, kw_only=True, slots=True)
class Group:
    """Numbers that are shown together."""

    name: str
    numbers: int
    bits: float


COUNT, TIME = _number(HIDDEN.count, MOST_COUNT), _number(HIDDEN.time_us, MOST_US)
MEMORY = _number(HIDDEN.memory_bytes, MOST_MEMORY)


def groups() -> Iterator[Group]:
    """All numbers of one hidden case: of its judged run and of every rerun."""
    yield Group(name="case row", numbers=len(TIMES | COUNTS) + 1, bits=len(TIMES) * TIME + len(COUNTS) * COUNT + MEMORY)
    calls = 1 + MOST_NAMES + 2 * len(STREAMS)
    yield Group(name="calls by name and stream", numbers=calls, bits=calls * COUNT + _chosen(MOST_NAMES, NAMES))
    yield Group(name="buffered run", numbers=11, bits=2 * (4 * TIME + COUNT) + COUNT)
    yield Group(name="unbuffered run", numbers=2, bits=math.log2(2 * len(BufferChange)))  # and whether it is right
    # of both programs the median, the fastest and the slowest run, and how many; the line that takes the time now
    runs, line = 2 * math.log2(RUNS), math.log2(1 + LINES) + math.log2(SHARES)
    fix = 7 * TIME + 3 * COUNT + runs + line + max(map(len, FIXES.values()))
    yield Group(name="repeated state", numbers=4, bits=COUNT + math.log2(LINES) + 2)
    yield Group(name="changed source", numbers=14, bits=fix)
    writes = 2 + 2 * MOST_NAMES
    yield Group(name="line costs", numbers=writes, bits=writes * COUNT + _chosen(MOST_NAMES, LINES))
    times = 2 + 2 * MOST_NAMES
    yield Group(name="line times", numbers=times, bits=times * TIME + _chosen(MOST_NAMES, LINES))
    # each line's count and which law, of those that fit all other runs; of the case three sizes and the speed; the runs
    laws = math.log2(1 + len(exact_laws(SIZES)) + len(ratios(SIZES)))
    counts = (MOST_NAMES + 4) * _number(HIDDEN.count, MOST_STEPS) + _chosen(MOST_NAMES, LINES) + MOST_NAMES * laws
    yield Group(name="counted lines", numbers=5 + 3 * MOST_NAMES, bits=counts + math.log2(1 + MOST_OWN))
    rate = math.log2(len({HIDDEN.rate(10**power) for power in range(8)}))
    step = math.log2(CORE_PARTS + 1) + 2 * rate
    yield Group(name="timeline", numbers=3 * STEPS + 6, bits=STEPS * step + 4 * TIME + 2 * COUNT)
    further = math.log2(
        1 + sum(math.comb(number + 2, 2) for number in range(FEWEST_RUNS, MOST_RUNS + 1))
    )  # how many, how many over and how many of those by the clock, or none
    offer = 1  # of a rerun tells whether the slowest of several passes, or the time on the clock, was near its limit
    yield Group(name="repeated runs", numbers=6, bits=offer + math.log2(1 + MORE_RUNS) + further + 2 * TIME)
    # one time, whether that run ended, and of all runs: how many, four powers (one tells its hundredths), three times
    powers = math.log2(100 * MOST_POWER + 1) + 3 * math.log2(10 * MOST_POWER + 1)
    runs = math.log2(1 + len(WHOLE_STEPS) + MOST_BETWEEN)
    yield Group(name="growth runs", numbers=9, bits=TIME + 1 + runs + powers + 3 * TIME)
    yield Group(name="explanations", numbers=5, bits=len(RULES) + 2 * math.log2(SHARES) + 3 * COUNT)
    # the signal, another one or an exit code; what error it was and where; the same of a part that was lost,
    # of one of three kinds; whether the output was right
    errors = len(ErrorKind) + max(len(language.known_errors) for language in LANGUAGES.values())
    ended = math.log2(2 + len(SHOWN_SIGNALS)) + math.log2(1 + errors) + math.log2(1 + LINES) + 1
    ended += math.log2(5)  # the first wrong number was wrapped around or the last one of 32 or 64 bits, or neither
    yield Group(name="ending", numbers=2, bits=ended + math.log2(1 + (len(Origin) - 1) * errors * (1 + LINES)))
    yield Group(name="sums and stages", numbers=11, bits=2 * COUNT + 9 * TIME)


def _row(name: str) -> tuple[int, int]:
    """The count of numbers and the bits in one row of the table."""
    found = re.search(rf"^\| {re.escape(name)} \| (\d+) \| (\d+) \|", PAGE.read_text(), re.MULTILINE)
    assert found, name
    return int(found[1]), int(found[2])


def test_nothing_more_is_told_of_an_ending_than_is_counted() -> None:
    counted = {"how", "exit_code", "signal", "error", "lost", "line", "is_output_right", "overflow"}
    # The limit is the problem's; the stream tells one bit where no error and no signal tell more.
    assert _names(CaseEnding) == {*counted, "limit", "stream", "calls", "difference", "refusal", "text"}
    full = CaseEnding(
        how=Ending.EXITED,
        calls=CallExcess(what="write", made=4_711, most=47),
        difference=TokenDifference(number=4_711, expected="4711", got="4711"),
        refusal="4711",
        text="4711",
    )
    calls = CallExcess(what="write")  # the verdict of a problem with such a limit
    assert full.bounded(frozenset()) == CaseEnding(how=Ending.EXITED, calls=calls)
    assert _names(ProgramError) == {"kind", "name", "line", "message", "origin"}
    told = ProgramError(kind=ErrorKind.PANIC, name="a name of its own", line=7, message="words", origin=Origin.THREAD)
    for language in LANGUAGES.values():
        bounded = CaseEnding(how=Ending.EXITED, exit_code=7, error=told, lost=told).bounded(language.known_errors)
        assert bounded.exit_code is None
        for error in (bounded.error, bounded.lost):
            assert error
            assert (error.name, error.message) == ("", "")


def test_every_number_of_the_views_is_counted() -> None:
    case = TestCaseResult(verdict="AC", **dict.fromkeys((measure.name for measure in STORED), 0))
    assert _names(Measures) == {"numbers", "is_stopped"}
    assert measures_of(case, HIDDEN).numbers.keys() == {*TIMES, *COUNTS, "peak_memory_bytes"}
    assert _names(RunTimes) == {"user_us", "system_us", "waiting_us"}
    assert _names(ProfileView) == {"calls", "has_every_name", "total", "streams", "stopped_after_ms"}
    assert _names(StreamView) == {"name", "calls", "bytes"}
    assert _names(RunView) == {"title", "times", "cpu_us", "bar", "write_calls", "verdict"}
    assert _names(BufferedView) == {"claim", "runs", "scale", "has_all_stderr", "went_on"}
    assert _names(Claim) == {"measured", "text", "is_proof"}
    assert _names(FixView) == {"measured", "claim", "next", "changes", "how", "blocks", "edit_address"}
    assert _names(LineCostView) == {"line", "writes", "bytes", "width"}
    assert _names(LineCostsView) == {"case_name", "case_number", "total", "lines", "remarks"}
    assert _names(LineTimeView) == {"line", "own_us", "total_us", "own_share", "total_share", "width"}
    assert _names(LineTimesView) == {"case_name", "case_number", "cpu_us", "headline", "lines", "remarks"}
    assert _names(NearLimitView) == {"headline", "rule", "why", "plot"}  # without a plot where numbers are rounded
    assert _names(TimelineView) == {"panels", "rows", "ticks", "totals", "remarks"}  # rows: the panels' numbers


def _names(view: type) -> set[str]:
    return {field.name for field in fields(view)}


def test_the_table_tells_the_bits_of_each_group() -> None:
    for group in groups():
        assert _row(group.name) == (group.numbers, math.ceil(group.bits)), group.name


def test_the_sum_is_that_of_the_groups() -> None:
    together = sum(group.numbers for group in groups()), sum(math.ceil(group.bits) for group in groups())
    assert _row("**all together**") == together


def test_one_number_carries_what_the_page_says() -> None:
    told = re.search(r"a count carries at most ([\d.]+) bits, a time ([\d.]+) and memory (\d\.\d)", PAGE.read_text())
    assert told
    assert [float(number) for number in told.groups()] == [round(number, 1) for number in (COUNT, TIME, MEMORY)]


def test_a_limit_on_calls_adds_the_bits_that_are_told() -> None:
    worst = 0.0
    for limit in (1, 20, 100, 300, 499, 500, 501, 1_000, 2_000, 5_000, 50_000):
        limited = Rounding(is_exact=False, write_calls_limit=limit)
        worst = max(worst, _number(limited.write_calls, MOST_COUNT) - COUNT)
    told = re.search(r"up to ([\d.]+) bits more", PAGE.read_text())
    assert told
    assert float(told[1]) == math.ceil(10 * worst) / 10
