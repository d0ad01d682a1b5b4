"""Which facts decide how a run ended, and what it used."""

import signal
from typing import Any

from sandbox.jail.classify import Facts, conclude
from sandbox.jail.protocol import Reply, ReplyKind, Stage, Stop
from sandbox.types import MIB, Ending, HostRuntime, Limits, signal_name

LIMITS = Limits(cpu_time_ms=1_000, wall_time_ms=3_000, memory_bytes=64 * MIB, output_bytes=MIB, stderr_bytes=MIB)


def facts(
    *,
    oom_kills: int = 0,
    group_peak: int = 0,
    group_system: int = 0,
    cached: int = 0,
    stdout: int = 0,
    stderr: int = 0,
    **reply: Any,
) -> Facts:
    values: dict[str, Any] = dict.fromkeys(Reply.__slots__, 0)
    values |= {"kind": ReplyKind.DONE, "stage": Stage.NONE, "stopped": Stop.NONE, "is_single": True} | reply
    return Facts(
        reply=Reply(**values),
        limits=LIMITS,
        runtime=HostRuntime(memory_exit_code=3),
        oom_kills=oom_kills,
        group_peak_bytes=group_peak,
        not_its_own_bytes=cached,
        stdout_bytes=stdout,
        stderr_bytes=stderr,
        group_system_us=group_system,
    )


def ending(**given: Any) -> Ending:
    return conclude(facts(**given), ()).ending


def test_a_clean_end_is_an_exit() -> None:
    outcome = conclude(facts(wait_status=0), ())
    assert (outcome.ending, outcome.exit_code, outcome.signal) == (Ending.EXITED, 0, None)


def test_exit_codes_that_look_like_signals_stay_exits() -> None:
    for code in (124, 126, 127, 137, 139, 255):
        outcome = conclude(facts(wait_status=code << 8), ())
        assert (outcome.ending, outcome.exit_code) == (Ending.EXITED, code)


def test_a_signal_is_named() -> None:
    outcome = conclude(facts(wait_status=signal.SIGSEGV), ())
    assert outcome.ending is Ending.SIGNALLED
    assert "SIGSEGV" in outcome.detail


def test_signals_without_a_name_have_their_number() -> None:
    assert signal_name(33) == "signal 33"


def test_an_oom_kill_comes_before_everything() -> None:
    assert ending(oom_kills=1, wait_status=9, stopped=Stop.CPU, user_us=5_000_000) is Ending.MEMORY_LIMIT


def test_memory_over_the_limit_counts_without_an_oom_kill() -> None:
    assert ending(max_rss_bytes=65 * MIB) is Ending.MEMORY_LIMIT
    assert ending(max_rss_bytes=63 * MIB) is Ending.EXITED


def test_files_in_the_scratch_folder_count_as_memory() -> None:
    assert ending(max_rss_bytes=60 * MIB, scratch_used_bytes=5 * MIB) is Ending.MEMORY_LIMIT


def test_cpu_time_over_the_limit_counts_even_when_the_program_ended_by_itself() -> None:
    assert ending(user_us=600_000, system_us=400_001, wait_status=0) is Ending.CPU_LIMIT
    assert ending(user_us=600_000, system_us=400_000, wait_status=0) is Ending.EXITED


def test_cpu_time_comes_before_wall_time_and_wall_time_before_output() -> None:
    assert ending(user_us=2_000_000, wall_us=4_000_000) is Ending.CPU_LIMIT
    assert ending(wall_us=4_000_000, stdout=2 * MIB) is Ending.WALL_LIMIT
    assert ending(stopped=Stop.WALL) is Ending.WALL_LIMIT


def test_time_without_a_core_is_not_counted_up_to_once_the_limit() -> None:
    assert ending(wall_us=4_000_000, queued_us=1_000_000) is Ending.EXITED
    assert ending(wall_us=4_000_001, queued_us=1_000_000) is Ending.WALL_LIMIT
    assert ending(wall_us=6_000_001, queued_us=5_000_000) is Ending.WALL_LIMIT


def test_lateness_of_the_watch_is_not_counted() -> None:
    late = {"late_us": 1_000_000, "gap_us": 900_000}
    assert ending(wall_us=4_000_000, **late) is Ending.EXITED
    assert ending(wall_us=4_000_001, **late) is Ending.WALL_LIMIT
    assert ending(wall_us=5_000_000, **late, queued_us=1_000_000) is Ending.EXITED


def test_wall_time_is_told_without_what_stood_still_and_with_what_was_only_late() -> None:
    outcome = conclude(facts(wall_us=4_000_000, late_us=1_000_000, longest_late_us=800_000, gap_us=900_000), ())
    assert (outcome.usage.wall_time_us, outcome.watch.late_us, outcome.watch.gap_us) == (3_100_000, 1_000_000, 900_000)
    assert outcome.watch.longest_late_us == 800_000


def test_too_much_output_names_its_stream() -> None:
    for stream in ("stdout", "stderr"):
        outcome = conclude(facts(**{stream: MIB + 1}, wait_status=25), ())
        assert (outcome.ending, outcome.limit, outcome.stream) == (Ending.OUTPUT_LIMIT, MIB, stream)
        assert outcome.detail == f"output limit of 1 MiB on {stream}"
    assert ending(stdout=MIB) is Ending.EXITED


def peak(**given: Any) -> int:
    return conclude(facts(**given), ()).usage.peak_memory_bytes


def test_peak_memory_of_one_process_is_its_mark() -> None:
    assert peak(max_rss_bytes=9 * MIB) == 9 * MIB
    assert peak(max_rss_bytes=9 * MIB, group_peak=50 * MIB, cached=42 * MIB) == 9 * MIB
    assert peak(max_rss_bytes=9 * MIB, group_peak=10 * MIB) == 9 * MIB  # the kernel's own pages


def test_what_one_process_had_without_mapping_it_counts() -> None:
    assert peak(max_rss_bytes=MIB, group_peak=40 * MIB, cached=8 * MIB) == 32 * MIB + MIB // 2
    assert peak(max_rss_bytes=8 * MIB, group_peak=40 * MIB) == 41 * MIB + MIB // 2


def test_a_scratch_file_counts_once_also_when_it_was_mapped() -> None:
    assert peak(max_rss_bytes=3 * MIB, scratch_used_bytes=16 * MIB, group_peak=17 * MIB) == 19 * MIB
    assert peak(max_rss_bytes=19 * MIB, scratch_used_bytes=16 * MIB, group_peak=17 * MIB) == 19 * MIB
    assert peak(max_rss_bytes=3 * MIB, scratch_used_bytes=16 * MIB, group_peak=0) == 19 * MIB  # an older kernel


def test_peak_memory_of_several_processes_is_the_groups_without_page_cache() -> None:
    several = {"is_single": False, "max_rss_bytes": 4 * MIB}
    assert peak(**several, group_peak=50 * MIB, cached=1024) == 51 * MIB + MIB // 2 - 1024
    assert peak(**several, group_peak=50 * MIB, cached=49 * MIB) == 4 * MIB


def test_page_cache_that_fills_the_group_of_several_processes_is_no_memory_ending() -> None:
    filled = conclude(facts(is_single=False, max_rss_bytes=MIB, group_peak=66 * MIB), ())
    assert (filled.ending, filled.usage.peak_memory_bytes) == (Ending.EXITED, 64 * MIB)
    assert ending(is_single=False, max_rss_bytes=MIB, group_peak=66 * MIB, oom_kills=1) is Ending.MEMORY_LIMIT


def test_time_that_only_the_group_knows_is_added_and_divided_as_the_group_says() -> None:
    own = {"user_us": 30_000, "system_us": 10_000, "group_cpu_us": 80_000}
    for in_kernel, expected in ((25_000, (55_000, 25_000)), (0, (70_000, 10_000)), (90_000, (30_000, 50_000))):
        usage = conclude(facts(**own, group_system=in_kernel), ()).usage
        assert (usage.user_time_us, usage.system_time_us) == expected
    assert conclude(facts(user_us=300, system_us=100, group_cpu_us=800), ()).usage.cpu_time_us == 400


def test_several_processes_that_had_more_than_the_limit_beside_their_output_are_over_it() -> None:
    several = {"is_single": False, "max_rss_bytes": 4 * MIB}
    assert ending(**several, group_peak=74 * MIB, cached=8 * MIB) is Ending.EXITED
    assert ending(**several, group_peak=75 * MIB, cached=8 * MIB) is Ending.MEMORY_LIMIT


def test_output_over_its_limit_is_that_although_it_filled_the_memory() -> None:
    assert ending(stdout=MIB + 1, oom_kills=1) is Ending.OUTPUT_LIMIT
    assert ending(stderr=MIB + 1, oom_kills=1) is Ending.OUTPUT_LIMIT
    assert ending(stdout=MIB, oom_kills=1) is Ending.MEMORY_LIMIT


def test_the_exit_code_of_a_runtime_whose_memory_is_full_is_the_memory_limit() -> None:
    assert [ending(wait_status=code << 8) for code in (2, 3)] == [Ending.EXITED, Ending.MEMORY_LIMIT]
