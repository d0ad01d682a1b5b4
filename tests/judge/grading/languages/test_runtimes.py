"""What follows from the record of a runtime: limits, command lines, jails, reruns."""

from dataclasses import replace
from pathlib import Path

import pytest

from judge.grading.checkers.scripts import SCRIPT
from judge.grading.compiling.compilation import Executable
from judge.grading.languages import LANGUAGES, PYTHON
from judge.grading.languages.cpython import CPYTHON
from judge.grading.languages.runtime import Product, Runtime, Start
from judge.reruns.kinds import RerunKind
from sandbox.types import MIB, HostRuntime, Limits, Mount

FOLDER = Path("/usr/lib/machine")
MACHINE = replace(
    CPYTHON,
    name="machine",
    product=Product(name="main.image", magic=b"PK"),
    run_argv=lambda start, memory_bytes: (start.tool, f"-m{memory_bytes // MIB}", *start.flags, "/program/main.image"),
    memory_headroom_bytes=64 * MIB,
    process_headroom=20,
    host=HostRuntime(folders=(FOLDER,)),
)


def executable(runtime: Runtime) -> Executable:
    start = Start(tool="/usr/bin/machine", flags=("-q",), source="/program/main.src")
    return Executable(runtime=runtime, start=start, mount=Mount(source=Path("/srv/built"), target="/program"))


def test_a_run_has_the_headroom_of_its_runtime_and_is_told_the_limit_of_the_problem() -> None:
    limits = Limits(memory_bytes=256 * MIB, processes=64)
    assert executable(MACHINE).within(limits).memory_bytes == 320 * MIB
    assert executable(MACHINE).within(limits).processes == 84
    assert executable(MACHINE).argv(limits.memory_bytes) == ("/usr/bin/machine", "-m256", "-q", "/program/main.image")


def test_a_jail_shows_what_the_runtime_needs() -> None:
    jail = executable(MACHINE).jail(Mount(source=Path("/srv/stage"), target="/stage"), cpu=1)
    assert jail.runtime.folders == (FOLDER,)
    assert [mount.target for mount in jail.mounts] == ["/program", "/stage"]


def test_the_file_that_starts_is_the_product_only_where_the_kernel_executes_that() -> None:
    assert executable(MACHINE).started_file == Path("/usr/bin/machine")
    assert executable(replace(MACHINE, starts_product=True)).started_file == Path("/srv/built/main.image")
    assert executable(MACHINE).product_path == "/program/main.image"
    assert executable(CPYTHON).product_path == ""


@pytest.mark.parametrize("language", [*LANGUAGES, "unheard of"])
def test_every_language_of_today_is_offered_each_rerun_that_its_runtime_serves(language: str) -> None:
    kinds = (RerunKind.BUFFERED, RerunKind.LINE_TIMES, RerunKind.LINES)
    assert all(kind.record.serves(language) for kind in kinds)


def test_a_rerun_that_the_runtime_cannot_serve_is_not_offered(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(LANGUAGES, "python", replace(PYTHON, runtime=SCRIPT))
    served = {kind for kind in RerunKind if kind.record.serves("python")}
    assert served.isdisjoint({RerunKind.BUFFERED, RerunKind.LINE_TIMES, RerunKind.LINES, RerunKind.CRASH})
    assert {RerunKind.TIMELINE, RerunKind.REPEATS, RerunKind.PROFILE} <= served
