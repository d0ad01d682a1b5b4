"""CPU time is what was burnt, in whatever threads and children, however they end; and whether in the kernel."""

from collections.abc import Callable, Iterator

import pytest

from sandbox.jail.nsjail import NsjailSandbox
from sandbox.types import Command, Ending, JailSpec, Limits, Mount, Outcome
from sandbox.workdir import fresh_folder
from tests.sandbox.conftest import WORK_ROOT
from tests.sandbox.metered import SLOWNESS, compiled

BURNT_MS = 120 * SLOWNESS
SPARE_MS = 10 * SLOWNESS
KINDS = ("alone", "executes", "threads", "children-waited", "children", "orphans", "lingers", "buried")
ENOUGH = Limits(cpu_time_ms=60_000, wall_time_ms=100_000)
LIMITED = Limits(cpu_time_ms=BURNT_MS, wall_time_ms=100_000, overrun_percent=0)
CORES = 2

Burn = Callable[[str, int, Limits], Outcome]


@pytest.fixture(scope="module")
def burn(sandbox: NsjailSandbox) -> Iterator[Burn]:
    """Runs programs/burns.c: kind, how many ms, limits."""
    with fresh_folder(WORK_ROOT, "shared-") as folder:
        (folder / "programs").mkdir(mode=0o755)
        program = compiled("burns.c", folder / "programs")
        shown = Mount(source=folder / "programs", target=str(folder / "programs"))
        with sandbox.open_jail(JailSpec(mounts=(shown,), cpu=0, cores=CORES)) as jail:
            yield lambda kind, ms, limits: jail.run(Command(argv=(program, kind, str(ms))), limits)


@pytest.mark.parametrize("kind", KINDS)
def test_what_was_burnt_is_counted_wherever_it_was(kind: str, burn: Burn) -> None:
    outcome = burn(kind, BURNT_MS, ENOUGH)
    assert outcome.ending is Ending.EXITED
    used_ms = outcome.usage.cpu_time_us / 1_000
    starts_ms = burn(kind, 0, ENOUGH).usage.cpu_time_us / 1_000  # much in an emulated machine, where it varies too
    assert BURNT_MS * 0.98 <= used_ms <= BURNT_MS * 1.02 + 3 * starts_ms + SPARE_MS
    assert 1.01 * outcome.usage.wall_time_us * CORES >= outcome.usage.cpu_time_us  # two clocks


@pytest.mark.parametrize("kind", KINDS)
def test_a_run_that_is_stopped_for_it_has_burnt_its_limit(kind: str, burn: Burn) -> None:
    outcome = burn(kind, 50 * BURNT_MS, LIMITED)
    assert outcome.ending is Ending.CPU_LIMIT
    assert outcome.usage.cpu_time_us >= 0.99 * LIMITED.cpu_time_ms * 1_000
    assert 1.01 * outcome.usage.wall_time_us * CORES >= outcome.usage.cpu_time_us


@pytest.mark.parametrize("kind", ["alone-reads", "children-reads", "buried-reads"])
def test_time_in_the_kernel_is_system_time(kind: str, burn: Burn) -> None:
    usage = burn(kind, BURNT_MS, ENOUGH).usage
    assert usage.system_time_us > 2 * usage.user_time_us


def test_a_child_that_only_the_group_knows_counts_also_when_it_used_little(burn: Burn) -> None:
    little, nothing = (burn("buried", ms, ENOUGH).usage.cpu_time_us for ms in (8 * SLOWNESS, 0))
    assert little - nothing > 4_000 * SLOWNESS
