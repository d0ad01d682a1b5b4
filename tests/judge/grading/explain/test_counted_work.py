"""The rule about counted work: it speaks where the law explains the time, and not where another reading is left."""

from dataclasses import replace

from judge.grading.counted_work import CountedLine, CountedRun, CountedWork
from judge.grading.events import LineTime, LineTimes, RerunEvidence
from judge.grading.explain import explain, main_cause
from judge.grading.explain.evidence.facts import Facts
from judge.grading.explain.evidence.laws import LawSearch
from judge.grading.verdicts import Verdict
from sandbox.types import Usage
from tests.judge.grading.explain.test_explain import case, facts
from tests.judge.spoken import findings

_SIZES = (10, 100, 1_000, 5_000, 10_000)
_CASE = 100_000


def line(number: int, counts: list[int]) -> CountedLine:
    sizes = [{"number1": n, "words": n + 1} for n in _SIZES]
    told = LawSearch(runs=sizes, case={"number1": _CASE, "words": _CASE + 1}).law_of(counts)
    return CountedLine(
        line=number, counts=tuple(counts), law=told.law if told else None, expected=told.expected if told else None
    )


def work(*lines: CountedLine, cpu_times_us: tuple[int, ...] = (2_000, 2_000, 0, 60_000, 252_000)) -> CountedWork:
    runs = zip(_SIZES, cpu_times_us, strict=True)
    return CountedWork(
        names=("number1", "words"),
        sizes=(_CASE, _CASE + 1),
        runs=tuple(CountedRun(case="", sizes=(n, n + 1), cpu_time_us=us) for n, us in runs),
        lines=lines,
        is_counted=False,
    )


PAIRS = line(12, [n * (n - 1) // 2 for n in _SIZES])
ROWS = line(11, [*_SIZES])
CHANCE = line(7, [3, 71, 555_000, 2_000_001, 98_000_000])


def story(counted: CountedWork, times: LineTimes | None = None) -> Facts:
    slow = case(verdict=Verdict.TLE, usage=Usage(user_time_us=1_500_000, wall_time_us=1_500_000), exit_code=None)
    evidence = RerunEvidence(counted_work=counted, line_times=times)
    return replace(facts(slow), reruns={slow.name: evidence})


def samples(*shares: tuple[int, int]) -> LineTimes:
    return LineTimes(
        lines=tuple(LineTime(line=number, own=own, total=own) for number, own in shares),
        stacks=(),
        samples=1_000,
        elsewhere=0,
        lost=0,
        cut=0,
        period_us=997,
        cpu_time_us=1_500_000,
        is_whole=False,
    )


def test_the_law_is_told_with_the_count_and_the_speed() -> None:
    told = story(work(PAIRS, ROWS))
    said = findings(told)["counted-work"]
    assert said.lines == (12,)
    assert said.text.startswith(
        "In 5 runs that came to their end, line 12 ran n*(n-1)/2 times. By this law it runs 4,999,950,000 times for "
        "n = 100,000. 1 s is enough for about"
    )
    whole = findings(story(replace(work(PAIRS, ROWS), is_counted=True)))["counted-work"]
    assert whole.text.startswith("Line 12 runs n*(n-1)/2 times: 4,999,950,000 times for n = 100,000.")
    assert whole.text.endswith("Counted in 5 runs that came to their end.")
    assert "1 s is enough for about 200,000,000 of them on this judge." in said.text
    assert "algorithm" not in findings(told)
    assert main_cause(explain(told), Verdict.TLE) == "counted-work"


def test_a_law_that_does_not_explain_the_time_is_no_cause() -> None:
    assert "counted-work" not in findings(story(work(ROWS)))
    fast = work(PAIRS, ROWS, cpu_times_us=(2_000, 2_000, 0, 20_000, 70_000))
    assert "counted-work" in findings(story(fast))
    faster = tuple(replace(run, cpu_time_us=run.cpu_time_us and run.cpu_time_us // 100) for run in fast.runs)
    assert "counted-work" not in findings(story(replace(fast, runs=faster)))


def test_it_is_silent_where_the_time_may_be_something_elses() -> None:
    told = story(work(PAIRS, ROWS))
    (slow,) = told.cases
    printed = replace(slow, io=replace(slow.io, write_bytes=40_000_000))
    slept = replace(slow, usage=replace(slow.usage, user_time_us=900_000))  # stopped by the clock
    in_kernel = replace(slow, usage=replace(slow.usage, user_time_us=700_000, system_time_us=800_000))
    for other in (printed, slept, in_kernel):
        assert "counted-work" not in findings(replace(told, cases=(other,)))


def test_without_a_law_the_count_on_the_case_is_told_if_it_came_to_its_end() -> None:
    frequent = replace(CHANCE, expected=4_000_000_123)
    counted = work(frequent, replace(PAIRS, law=None, expected=12), replace(ROWS, expected=_CASE))
    assert "counted-work" not in findings(story(counted))
    said = findings(story(replace(counted, is_counted=True)))["counted-work"]
    assert said.lines == (7,)
    assert said.text.startswith("Line 7 runs 4,000,000,123 times on secret/1, counted in a run with more time.")
    assert "runs that came to their end" not in said.text
    assert "times, whatever the input" not in said.text
    few = replace(frequent, expected=400_000)
    assert "counted-work" not in findings(story(replace(work(few), is_counted=True)))


def test_a_line_without_a_law_that_runs_more_often_leaves_it_open() -> None:
    assert "counted-work" not in findings(story(work(PAIRS, ROWS, CHANCE)))


def test_samples_elsewhere_leave_it_open() -> None:
    assert "counted-work" in findings(story(work(PAIRS, ROWS), samples((12, 900), (7, 100))))
    assert "counted-work" not in findings(story(work(PAIRS, ROWS), samples((7, 900), (12, 100))))


def test_without_a_long_run_samples_have_to_tell_where_the_time_went() -> None:
    short = work(PAIRS, ROWS, cpu_times_us=(2_000, 2_000, 0, 0, 0))
    assert "counted-work" not in findings(story(short))
    said = findings(story(short, samples((12, 950))))["counted-work"]
    assert "1 s is enough" not in said.text
