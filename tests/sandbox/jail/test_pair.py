"""Two programs that talk: both are measured, and whatever one does, both end, and nothing is left."""

import os
import signal
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

import pytest

from sandbox.errors import CommandError, JailError, LimitsError
from sandbox.jail.jail import OpenJail
from sandbox.jail.nsjail import NsjailSandbox
from sandbox.jail.pair import PairOutcome, Side, run_pair
from sandbox.types import MIB, Command, Ending, JailSpec, Limits
from tests.sandbox.aftermath import nothing_left, open_descriptors
from tests.sandbox.conftest import WORK_ROOT

PYTHON = ("/usr/bin/python3", "-I", "-c")
LIMITS = Limits(cpu_time_ms=2_000, wall_time_ms=4_000, memory_bytes=128 * MIB)
SHORT = Limits(cpu_time_ms=1_000, wall_time_ms=500, memory_bytes=128 * MIB)
LONGER = Limits(cpu_time_ms=1_000, wall_time_ms=1_200, memory_bytes=128 * MIB)
ECHO = "import sys\nfor line in sys.stdin: print(line.strip(), flush=True)"
ASK = "for i in range(100):\n    print(i, flush=True)\n    assert input() == str(i)"
SLEEP = "import time; time.sleep(60)"


@pytest.fixture
def jails(sandbox: NsjailSandbox) -> Iterator[tuple[OpenJail, OpenJail]]:
    with sandbox.open_jail(JailSpec()) as program, sandbox.open_jail(JailSpec()) as interactor:
        yield program, interactor


def python(jail: OpenJail, code: str, limits: Limits = LIMITS) -> Side:
    return Side(jail=jail, command=Command(argv=(*PYTHON, code)), limits=limits)


def talk(
    jails: tuple[OpenJail, OpenJail], program: str, interactor: str, limits: Limits = LIMITS, patient: Limits = LIMITS
) -> PairOutcome:
    return run_pair(python(jails[0], program, limits), python(jails[1], interactor, patient))


def test_two_programs_talk_and_both_are_measured(jails: tuple[OpenJail, OpenJail]) -> None:
    outcome = talk(jails, ASK, ECHO)
    for side in (outcome.program, outcome.interactor):
        assert (side.ending, side.exit_code) == (Ending.EXITED, 0)
        assert (side.io.write_calls, side.io.write_bytes) == (100, 290)
        assert side.usage.cpu_time_us > 0
        assert side.usage.voluntary_switches > 0
    assert not outcome.interactor_ended_first


def test_a_pair_can_talk_again_in_the_same_jails(jails: tuple[OpenJail, OpenJail]) -> None:
    talk(jails, ASK, ECHO)  # from now on both have opened the next run's groups
    before = len(open_descriptors())
    for _ in range(3):
        assert talk(jails, ASK, ECHO).program.exit_code == 0
    assert len(open_descriptors()) == before


def test_the_end_of_one_is_noted_before_the_other_can_know_of_it(jails: tuple[OpenJail, OpenJail]) -> None:
    wait_for_end = "import sys; sys.stdin.read()"
    assert talk(jails, wait_for_end, "pass").interactor_ended_first
    assert not talk(jails, "pass", wait_for_end).interactor_ended_first
    flood = "import os\nwhile True: os.write(1, b'x' * 1000)"
    for _ in range(3):
        outcome = talk(jails, "import sys; sys.exit(3)", flood)
        assert (outcome.program.exit_code, outcome.interactor_ended_first) == (3, False)
        assert outcome.interactor.exit_code == 1  # Python's BrokenPipeError


@pytest.mark.parametrize("pause", [0, 0.2])
def test_last_words_to_one_that_has_ended_are_no_error_at_any_time(
    jails: tuple[OpenJail, OpenJail], pause: float
) -> None:
    words = f"import sys, time; sys.stdin.read(); time.sleep({pause}); sys.stdout.write('x' * 60_000)"
    for outcome in (talk(jails, words, "pass"), talk(jails, "pass", words)):
        assert (outcome.program.exit_code, outcome.interactor.exit_code) == (0, 0)


def test_both_waiting_ends_at_each_ones_own_wall_limit(jails: tuple[OpenJail, OpenJail]) -> None:
    outcome = talk(jails, "input()", "input()", limits=SHORT)
    assert outcome.program.ending is Ending.WALL_LIMIT
    assert (outcome.interactor.ending, outcome.interactor.exit_code) == (Ending.EXITED, 1)  # EOFError
    assert not outcome.interactor_ended_first


def test_a_question_that_is_not_flushed_is_never_heard(jails: tuple[OpenJail, OpenJail]) -> None:
    outcome = talk(jails, "import sys; print(1); sys.stdin.readline()", ECHO, limits=SHORT)
    assert outcome.program.ending is Ending.WALL_LIMIT
    assert outcome.program.io.write_calls == 0


def test_a_hanging_interactor_ends_at_its_own_limit(jails: tuple[OpenJail, OpenJail]) -> None:
    outcome = talk(jails, "import sys; sys.stdin.read()", SLEEP, patient=SHORT)
    assert outcome.interactor.ending is Ending.WALL_LIMIT
    assert outcome.interactor_ended_first
    assert outcome.program.exit_code == 0


def test_spinning_hits_the_cpu_limit_of_the_one_that_spins(jails: tuple[OpenJail, OpenJail]) -> None:
    limits = Limits(cpu_time_ms=200, wall_time_ms=4_000, memory_bytes=128 * MIB)
    outcome = talk(jails, "while True: pass", ECHO, limits=limits)
    assert (outcome.program.ending, outcome.interactor.ending) == (Ending.CPU_LIMIT, Ending.EXITED)


def test_memory_is_limited_for_each_alone(jails: tuple[OpenJail, OpenJail]) -> None:
    outcome = talk(jails, "b'x' * (200 << 20)", "x = b'x' * (40 << 20)\nwhile True: pass", patient=SHORT)
    assert outcome.program.ending is Ending.MEMORY_LIMIT
    assert outcome.interactor.ending is Ending.WALL_LIMIT


def test_a_flood_that_nobody_reads_waits_and_is_kept_nowhere(jails: tuple[OpenJail, OpenJail]) -> None:
    outcome = talk(jails, "import os\nwhile True: os.write(1, b'x' * 4096)", SLEEP, SHORT, LONGER)
    assert outcome.program.ending is Ending.WALL_LIMIT
    assert outcome.program.io.write_bytes == 65_536  # what fits into a pipe


def test_a_stream_closed_early_has_ended_for_the_other(jails: tuple[OpenJail, OpenJail]) -> None:
    outcome = talk(jails, f"import os; os.close(1)\n{SLEEP}", "import sys; sys.stdin.read()", limits=SHORT)
    assert outcome.program.ending is Ending.WALL_LIMIT
    assert outcome.interactor.exit_code == 0
    assert outcome.interactor_ended_first
    assert outcome.program_left_early
    reads_all = "import sys; print(len(sys.stdin.read()), flush=True)"
    says_all = "import os; os.write(1, b'x' * 100); os.close(1); assert input() == '100'"
    outcome = talk(jails, reads_all, says_all)
    assert (outcome.program.exit_code, outcome.interactor.exit_code) == (0, 0)
    assert not outcome.program_left_early


def test_who_floods_one_that_listens_no_more_is_stopped(jails: tuple[OpenJail, OpenJail]) -> None:
    flood = "import os\nwhile True: os.write(1, b'x' * 1000)"
    outcome = talk(jails, f"import os; os.close(0)\n{SLEEP}", flood, limits=SHORT)
    assert outcome.interactor.exit_code == 1  # Python's BrokenPipeError
    assert outcome.interactor_ended_first
    assert outcome.program_left_early


def test_a_stream_that_a_child_still_has_is_open(jails: tuple[OpenJail, OpenJail]) -> None:
    program = """
import os, time
if os.fork() == 0:
    time.sleep(0.3)
    os.write(1, b"late")
else:
    os.close(0), os.close(1)
    os.wait()
"""
    outcome = talk(jails, program, "import sys; assert sys.stdin.read() == 'late'")
    assert (outcome.program.exit_code, outcome.interactor.exit_code) == (0, 0)
    assert not outcome.program_left_early
    assert not outcome.interactor_ended_first


def test_children_left_behind_do_not_keep_the_conversation_open(jails: tuple[OpenJail, OpenJail]) -> None:
    outcome = talk(jails, f"import os\nif os.fork() == 0:\n    {SLEEP}", ECHO)
    assert (outcome.program.ending, outcome.interactor.exit_code) == (Ending.EXITED, 0)
    assert not outcome.interactor_ended_first


def test_stderr_is_kept_and_limited(jails: tuple[OpenJail, OpenJail], folder: Path) -> None:
    command = Command(argv=(*PYTHON, "import sys; sys.stderr.write('chatter')"), stderr=folder / "err")
    run_pair(Side(jail=jails[0], command=command, limits=LIMITS), python(jails[1], ECHO))
    assert (folder / "err").read_text() == "chatter"
    limits = Limits(cpu_time_ms=4_000, wall_time_ms=9_000, stderr_bytes=MIB)
    outcome = talk(jails, "import sys\nwhile True: sys.stderr.write('x' * 1000)", ECHO, limits=limits)
    assert outcome.program.ending is Ending.OUTPUT_LIMIT


def test_a_program_that_cannot_be_started_is_our_error_and_leaves_nothing(sandbox: NsjailSandbox) -> None:
    before = open_descriptors()
    with sandbox.open_jail(JailSpec()) as one, sandbox.open_jail(JailSpec()) as other:
        missing = Side(jail=one, command=Command(argv=("/no/such",)), limits=LIMITS)
        with pytest.raises(CommandError, match="/no/such cannot be started"):
            run_pair(missing, python(other, SLEEP))
    assert open_descriptors() == before
    with sandbox.open_jail(JailSpec()) as jail:
        assert jail.run(Command(argv=("/bin/true",)), LIMITS).exit_code == 0


@pytest.mark.parametrize("victim", [0, 1])
@pytest.mark.parametrize(
    ("number", "why"),
    [(signal.SIGKILL, "the jail (ended by itself|is gone)"), (signal.SIGSTOP, "an init did not answer within")],
)
def test_an_init_that_is_hit_in_mid_conversation_is_our_error_and_leaves_nothing(
    sandbox: NsjailSandbox, monkeypatch: pytest.MonkeyPatch, victim: int, number: signal.Signals, why: str
) -> None:
    monkeypatch.setattr("sandbox.jail.prepared._ANSWER_MS", 200)
    monkeypatch.setattr("sandbox.jail.initlink._END_S", 0.5)
    with nothing_left(WORK_ROOT), sandbox.open_jail(JailSpec()) as one, sandbox.open_jail(JailSpec()) as other:
        init = (one, other)[victim]._init.pid

        def hit(_: OpenJail) -> None:
            with suppress(ProcessLookupError):  # called for both jails: it may be dead already
                os.kill(init, number)

        with monkeypatch.context() as patched:
            patched.setattr(OpenJail, "tidy", hit)  # called when both have begun
            with pytest.raises(JailError, match=f"^{why}"):
                talk((one, other), "input()", ECHO, limits=SHORT, patient=SHORT)
    with sandbox.open_jail(JailSpec()) as one, sandbox.open_jail(JailSpec()) as other:
        assert talk((one, other), ASK, ECHO).program.exit_code == 0


def test_an_interactor_that_cannot_be_started_is_told_apart(jails: tuple[OpenJail, OpenJail]) -> None:
    missing = Side(jail=jails[1], command=Command(argv=("/no/such",)), limits=LIMITS)
    with pytest.raises(JailError, match="the interactor: /no/such cannot be started") as caught:
        run_pair(python(jails[0], "input()"), missing)
    assert not isinstance(caught.value, CommandError)


def test_a_profile_pass_that_is_cut_says_so_although_both_are(
    jails: tuple[OpenJail, OpenJail], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("sandbox.passes.turns.LONG_PASS_S", 0.2)
    program = python(jails[0], "import sys; sys.stdin.read()", Limits(cpu_time_ms=2_000, wall_time_ms=1_000))
    interactor = python(jails[1], SLEEP, Limits(cpu_time_ms=2_000, wall_time_ms=1_400))
    outcome = run_pair(program, interactor, is_profiled=True)
    assert outcome.profile is not None
    assert 200 <= outcome.profile.stopped_after_ms < 1_000
    assert (outcome.program.signal, outcome.interactor.signal) == (signal.SIGKILL, signal.SIGKILL)


def test_a_pair_is_not_used_again_after_a_failure(jails: tuple[OpenJail, OpenJail]) -> None:
    missing = Side(jail=jails[0], command=Command(argv=("/no/such",)), limits=LIMITS)
    with pytest.raises(CommandError):
        run_pair(missing, python(jails[1], SLEEP))
    with pytest.raises(JailError, match="the jail is gone"):
        talk(jails, ASK, ECHO)


def test_the_programs_calls_are_counted_by_name(jails: tuple[OpenJail, OpenJail]) -> None:
    outcome = run_pair(python(jails[0], ASK), python(jails[1], ECHO), is_profiled=True)
    assert outcome.profile is not None
    assert (outcome.profile.streams["stdout"].calls, outcome.profile.streams["stdout"].bytes) == (100, 290)
    assert outcome.profile.streams["stdin"].bytes == 290


def test_one_jail_cannot_talk_to_itself(jails: tuple[OpenJail, OpenJail]) -> None:
    side = Side(jail=jails[0], command=Command(argv=("/usr/bin/true",)), limits=SHORT)
    with pytest.raises(LimitsError, match="need two jails"):
        run_pair(side, side)
    assert jails[0].run(side.command, SHORT).exit_code == 0
