"""Findings before and after calls are counted by name: what was said stays, and what waited is the same as ever."""

from collections.abc import Collection, Iterator, Sequence
from dataclasses import replace

import pytest

from judge.grading.events import Finding, RerunEvidence
from judge.grading.explain import BY_CODE, Explanation, explain, explain_anew, explain_so_far
from judge.grading.explain.evidence.facts import Facts
from judge.grading.verdicts import Verdict
from sandbox.types import IoProfile, Profile, StreamUse, Usage
from tests.judge.grading.explain.own_time_stories import OWN_TIME
from tests.judge.grading.explain.test_explain import ENDL, MANY_WRITES, case, facts, threads
from tests.judge.grading.explain.test_explain_input_and_memory import BYTE_BY_BYTE, IN_A_LOOP, READS, STORM

CASE = "secret/1"
WRITTEN = Profile(
    syscalls={"write": 3_000_000, "read": 40, "mmap": 30}, streams={"stdout": StreamUse(calls=3_000_000, bytes=1)}
)
TO_FILES = Profile(
    syscalls={"write": 3_000_000},
    streams={"stdout": StreamUse(calls=9, bytes=1), "files": StreamUse(calls=2_999_991, bytes=9)},
)
OTHERS = Profile(syscalls={"write": 3_000_000, "getppid": 9_000_000}, streams={"stdout": StreamUse(calls=9, bytes=9)})
READ = Profile(syscalls={"read": 500_000}, streams={"stdin": StreamUse(calls=500_000, bytes=500_000)})
FETCHED = Profile(syscalls={"mmap": 40_000, "munmap": 40_000, "read": 4}, streams={})
FORKED = Profile(syscalls={"clone": 4_000, "mmap": 40_000}, streams={})
PROFILES = (WRITTEN, TO_FILES, OTHERS, READ, FETCHED, FORKED)
STORIES: dict[str, Facts] = {
    **OWN_TIME,
    "small writes": facts(MANY_WRITES, source=ENDL),
    "stderr": facts(replace(MANY_WRITES, stderr_bytes=5_999_123, stdout_bytes=1_234)),
    "small reads": facts(READS, source=BYTE_BY_BYTE),
    "memory": facts(STORM, source=IN_A_LOOP),
    "turns": threads(90_000, user_time_us=400_000, system_time_us=300_000, voluntary_switches=90_000),
    "one interpreter": threads(2_000),
    "accepted": facts(case()),
    "slept": facts(case(Verdict.TLE, usage=Usage(user_time_us=9_123, wall_time_us=3_012_345))),
}
NEED_COUNTS = {"small writes", "stderr", "small reads", "memory", "turns", "one interpreter", "locks", "fresh", "deep"}


def later(told: Facts) -> Facts:
    """The same before anything is counted."""
    return replace(told, profiles={}, counts_later=frozenset(case.name for case in told.cases))


def counted(told: Facts, profile: Profile) -> Facts:
    """The same once the pass has been made."""
    return replace(told, profiles={CASE: profile}, counts_later=frozenset())


def anew(stood: Sequence[Finding], now: Facts, awaited: Collection[str]) -> Explanation:
    """Return what is said once the cases that waited are counted."""
    earlier = {name: profile for name, profile in now.profiles.items() if name not in awaited}
    return explain_anew(stood, now.with_counts(earlier, frozenset(awaited)), now)


def pairs() -> Iterator[tuple[str, Profile]]:
    for label, told in STORIES.items():
        for profile in (*PROFILES, *told.profiles.values()):
            yield label, profile


@pytest.mark.parametrize("label", STORIES)
def test_calls_are_counted_where_they_can_matter_and_nowhere_else(label: str) -> None:
    assert explain_so_far(later(STORIES[label])).awaits == ((CASE,) if label in NEED_COUNTS else ())


@pytest.mark.parametrize(("label", "profile"), list(pairs()))
def test_whatever_is_counted_nothing_that_was_said_changes(label: str, profile: Profile) -> None:
    told = STORIES[label]
    first, whole = explain_so_far(later(told)), counted(told, profile)
    then = anew(first.findings, whole, first.awaits) if first.awaits else first
    assert then == Explanation(findings=explain(whole))
    lasting = [finding for finding in first.findings if finding.code != "so-far"]
    assert [finding for finding in then.findings if finding in first.findings] == lasting


@pytest.mark.parametrize("label", NEED_COUNTS)
def test_where_nobody_can_count_the_rules_go_by_reads_and_writes(label: str) -> None:
    told = replace(STORIES[label], profiles={})
    first = explain_so_far(later(told))
    assert anew(first.findings, told, first.awaits) == Explanation(findings=explain(told))


def test_a_cause_that_may_yet_come_keeps_back_that_none_stands_out() -> None:
    half = facts(replace(MANY_WRITES, usage=Usage(user_time_us=700_000, system_time_us=500_000)))
    first = explain_so_far(later(half))
    assert {finding.code for finding in first.findings}.isdisjoint({"where-it-went", "flush-per-line"})
    codes = {finding.code for finding in anew(first.findings, counted(half, TO_FILES), first.awaits).findings}
    assert "where-it-went" in codes
    assert "flush-per-line" not in codes


def test_of_two_cases_each_is_waited_for_and_what_the_first_brought_stays() -> None:
    slow = replace(MANY_WRITES, usage=replace(MANY_WRITES.usage, wall_time_us=1_210_000))
    waits = replace(
        threads(90_000).cases[0],
        name="secret/2",
        usage=Usage(user_time_us=400_000, system_time_us=300_000, wall_time_us=1_900_000, voluntary_switches=90_000),
    )
    told = replace(threads(90_000), cases=(slow, waits), profiles={})
    first = explain_so_far(later(told))
    assert set(first.awaits) == {CASE, "secret/2"}
    half = replace(told, profiles={CASE: WRITTEN}, counts_later=frozenset({"secret/2"}))
    then = anew(first.findings, half, first.awaits)
    assert then.awaits == ("secret/2",)
    assert "flush-per-line" in {finding.code for finding in then.findings}
    profiles = {CASE: WRITTEN, "secret/2": Profile(syscalls={"clone3": 4, "futex": 90_000}, streams={})}
    whole = replace(told, profiles=profiles)
    assert anew(then.findings, whole, then.awaits) == Explanation(findings=explain(whole))


def test_a_finding_that_only_the_verdict_knew_stays_in_its_place() -> None:
    told = later(STORIES["small writes"])
    points = Finding(code="points", evidence={})
    first = explain_so_far(told)
    stood = (first.findings[0], points, *first.findings[1:])
    then = anew(stood, counted(STORIES["small writes"], WRITTEN), first.awaits)
    assert [finding.code for finding in then.findings] == ["summary", "points", "flush-per-line"]


def test_what_a_rerun_told_takes_the_place_of_what_it_disproves(monkeypatch: pytest.MonkeyPatch) -> None:
    def doubt(told: Facts) -> Finding | None:
        return None if told.reruns else Finding(code="algorithm", evidence={})

    def count(told: Facts) -> Finding | None:
        return Finding(code="growth", evidence={"cases": len(told.reruns)})

    rules = [replace(BY_CODE[code], find=find) for code, find in (("algorithm", doubt), ("growth", count))]
    monkeypatch.setattr("judge.grading.explain.RULES", rules)
    before = STORIES["accepted"]
    now = replace(before, reruns={CASE: RerunEvidence()})
    only_then = Finding(code="leftover-output", evidence={})  # by an output that no row keeps
    stood = (only_then, *explain_so_far(before).findings)
    assert [finding.code for finding in stood] == ["leftover-output", "algorithm", "growth"]
    then = explain_anew(stood, before, now).findings
    assert set(map(str, then)) == {str(only_then), str(Finding(code="growth", evidence={"cases": 1}))}


def test_few_or_cheap_calls_are_not_counted_by_name() -> None:
    quick = Usage(user_time_us=30_000, system_time_us=60_000, wall_time_us=91_000)
    for silent in (
        case(usage=quick, io=IoProfile(write_calls=40_000, write_bytes=80_000), stdout_bytes=80_000),
        replace(MANY_WRITES, io=IoProfile(write_calls=9_999, write_bytes=20_000)),
        replace(MANY_WRITES, usage=Usage(user_time_us=1_100_000, system_time_us=90_000)),
    ):
        assert explain_so_far(later(facts(silent))).awaits == ()
