"""The real jail: files that go in and come out, mounts, cores."""

import os
import time
from dataclasses import replace
from pathlib import Path

import pytest

from sandbox.errors import JailError, LimitsError, WorkdirError
from sandbox.jail.jail import OpenJail, cores_of
from sandbox.jail.nsjail import NsjailSandbox
from sandbox.types import Collect, Command, Image, JailSpec, Mount
from tests.sandbox.jailed import LIMITS, PYTHON, output, python


def test_only_regular_files_are_carried_out_and_no_link_is_followed(jail: OpenJail, folder: Path) -> None:
    code = """
import os
open('good', 'w').write('yes')
open('big', 'w').write('x' * 1000)
os.symlink('/usr/bin/env', 'link'); os.mkfifo('pipe'); os.mkdir('dir'); os.symlink('.', 'around')
"""
    names = ("good", "big", "link", "pipe", "dir", "around/good", "../usr/bin/env", "missing")
    wanted = tuple(Collect(name=name, target=folder / str(number), max_bytes=100) for number, name in enumerate(names))
    outcome = jail.run(Command(argv=(*PYTHON, code), collect=wanted), LIMITS)
    assert outcome.collected == ("good",)
    assert (folder / "0").read_text() == "yes"
    assert not (folder / "1").exists()


def test_folders_are_made_for_the_program(jail: OpenJail) -> None:
    command = Command(argv=(*PYTHON, "open('feedback/note', 'w')"), directories=("feedback",))
    assert jail.run(command, LIMITS).exit_code == 0


def test_a_mount_is_read_only(sandbox: NsjailSandbox, folder: Path) -> None:
    (folder / "file").write_text("x")
    with sandbox.open_jail(JailSpec(mounts=(Mount(source=folder, target="/program"),))) as jail:
        outcome = python(jail, "open('/program/file').read(); open('/program/file', 'w')")
    assert outcome.exit_code == 1
    assert (folder / "file").read_text() == "x"


def test_a_mount_that_the_jails_user_cannot_reach_is_refused_by_name(sandbox: NsjailSandbox, folder: Path) -> None:
    closed = folder / "closed"
    closed.mkdir(mode=0o700)
    with (
        pytest.raises(WorkdirError, match="searched by everybody"),
        sandbox.open_jail(JailSpec(mounts=(Mount(source=closed, target="/program"),))),
    ):
        pass


def test_a_pinned_program_sees_one_core(sandbox: NsjailSandbox, folder: Path) -> None:
    with sandbox.open_jail(JailSpec(cpu=0)) as jail:
        code = "import os; os.sched_setaffinity(0, range(64)); print(sorted(os.sched_getaffinity(0)))"
        assert output(jail, code, folder) == "[0]\n"


@pytest.mark.parametrize("cores", [2, 3, 10_000])
def test_a_program_that_may_use_several_cores_sees_as_many_as_there_are(
    sandbox: NsjailSandbox, folder: Path, cores: int
) -> None:
    here = sorted(os.sched_getaffinity(0))
    spec = JailSpec(cpu=here[-1], cores=cores)
    with sandbox.open_jail(spec) as jail:
        seen = output(jail, "import os; print(sorted(os.sched_getaffinity(0)))", folder)
        assert seen == f"{sorted(cores_of(spec))}\n"
    assert len(cores_of(spec)) == min(cores, len(here))
    assert here[-1] in cores_of(spec)


def test_files_of_the_hosts_choice_lie_in_the_working_folder_and_cannot_be_changed(
    sandbox: NsjailSandbox, folder: Path
) -> None:
    (folder / "0").write_text("contents")
    code = """
import errno, os
assert os.listdir() == ["a b"], os.listdir()
assert open("a b").read() == "contents"
for change in (lambda: open("a b", "w"), lambda: os.truncate("a b", 0), lambda: os.chmod("a b", 0o777)):
    try:
        change()
    except OSError as error:
        assert error.errno in (errno.EROFS, errno.EPERM, errno.EACCES), error
    else:
        raise AssertionError
os.rename("a b", "c")
os.unlink("c")  # as any name in its own folder
"""
    shown = Mount(source=folder, target="/files")
    with sandbox.open_jail(JailSpec(mounts=(shown,), image=Image.TOOLS)) as jail:
        bare = Command(argv=("/bin/cat", "/files/0"))
        placed = Command(argv=("/bin/cat", "a b"), files=(("a b", "/files/0"),), stdout=folder / "out")
        outcome, without = jail.run(placed, LIMITS), jail.run(bare, LIMITS)
        assert (folder / "out").read_text() == "contents"
        assert outcome.io == without.io  # to place them is no doing of the program's
        checked = Command(argv=(*PYTHON, code), files=(("a b", "/files/0"),), stderr=folder / "err")
        assert jail.run(checked, LIMITS).exit_code == 0, (folder / "err").read_text()
        assert output(jail, "import os; print(os.listdir())", folder) == "[]\n"
        with pytest.raises(JailError, match="scratch folder could not be made: No such file"):
            jail.run(Command(argv=("/bin/true",), files=(("x", "/files/none"),)), LIMITS)
        assert jail.run(bare, LIMITS).exit_code == 0
    for name in ("", ".", "..", "a/b", "/a"):
        with sandbox.open_jail(JailSpec()) as jail, pytest.raises(LimitsError, match="file to place"):
            jail.run(Command(argv=("/bin/true",), files=((name, "/files/0"),)), LIMITS)


def test_only_a_run_that_is_to_go_on_finds_what_the_one_before_kept(jail: OpenJail, folder: Path) -> None:
    leaves = Command(argv=(*PYTHON, "open('x', 'a').write('1')"), directories=("made",), keeps_scratch=True)
    looks = Command(argv=(*PYTHON, "import os; print(sorted(os.listdir()), open('x').read())"), goes_on=True)

    def found() -> str:
        target = folder / f"out-{time.monotonic_ns()}"
        jail.run(replace(looks, stdout=target), LIMITS)
        return target.read_text()

    assert jail.run(leaves, LIMITS).exit_code == 0
    assert jail.run(replace(leaves, goes_on=True), LIMITS).exit_code == 0
    assert found() == "['made', 'x'] 11\n"
    with pytest.raises(JailError, match="scratch folder"):
        found()
    assert jail.run(leaves, LIMITS).exit_code == 0
    assert output(jail, "import os; print(os.listdir())", folder) == "[]\n"
    with pytest.raises(JailError, match="scratch folder"):
        found()


def test_a_profile_pass_goes_on_too_and_keeps_nothing_unless_it_is_to(tools_jail: OpenJail, folder: Path) -> None:
    leaves = Command(argv=(*PYTHON, "open('x', 'a').write('1')"), keeps_scratch=True)
    looks = Command(argv=("/bin/cat", "x"), goes_on=True, stdout=folder / "out")
    assert tools_jail.profile(leaves, LIMITS)[0].exit_code == 0
    assert tools_jail.profile(replace(leaves, goes_on=True), LIMITS)[0].exit_code == 0
    outcome, profile = tools_jail.profile(looks, LIMITS)
    assert (outcome.exit_code, profile.syscalls["execve"]) == (0, 1)
    assert (folder / "out").read_text() == "11"
    with pytest.raises(JailError, match="scratch folder"):
        tools_jail.profile(replace(looks, stdout=None), LIMITS)


def test_stderr_that_is_dropped_is_neither_kept_nor_limited(jail: OpenJail, folder: Path) -> None:
    code = "import os\nfor _ in range(64): os.write(2, b'x' * 2**20)\nprint(os.fstat(2).st_mode)"
    limits = replace(LIMITS, stderr_bytes=1 << 20, file_bytes=1 << 21)
    command = Command(argv=(*PYTHON, code), stdout=folder / "out", stderr=folder / "err")
    assert jail.run(command, limits).stream == "stderr"
    for path in (folder / "out", folder / "err"):
        path.unlink()
    outcome = jail.run(replace(command, drops_stderr=True), limits)
    assert (outcome.exit_code, outcome.stderr_bytes, outcome.io.write_bytes > 64 << 20) == (0, 0, True)
    assert (folder / "out").stat().st_size > 0
    assert (folder / "err").stat().st_size == 0
