"""Control groups on hosts of every kind: where they are found, and real ones on this host."""

import os
import signal
import subprocess
import sys
import threading
from contextlib import suppress
from pathlib import Path

import pytest

from sandbox.cgroups import cgroupfs
from sandbox.cgroups.cgroup import ControlGroups, _parent_name
from sandbox.cgroups.cgroupfs import find_hierarchies
from sandbox.errors import CgroupError
from sandbox.jail.nsjail import NsjailSandbox
from sandbox.types import JailSpec
from tests.sandbox.aftermath import open_descriptors
from tests.sandbox.conftest import WORK_ROOT
from tests.sandbox.metered import SLOWNESS

HYBRID = """\
31 24 0:27 / /sys/fs/cgroup/cpu,cpuacct rw,nosuid shared:9 - cgroup cgroup rw,cpu,cpuacct
32 24 0:28 / /sys/fs/cgroup/memory rw - cgroup cgroup rw,memory
33 24 0:29 / /sys/fs/cgroup/pids rw - cgroup cgroup rw,pids
34 24 0:30 / /sys/fs/cgroup/cpuset rw - cgroup cgroup rw,cpuset
35 24 0:31 / /sys/fs/cgroup/unified rw - cgroup2 cgroup2 rw,nsdelegate
"""


def test_a_hybrid_host_is_judged_by_where_its_controllers_are() -> None:
    found = find_hierarchies(HYBRID)
    assert found.version == 1
    assert found.v1["cpuacct"] == Path("/sys/fs/cgroup/cpu,cpuacct")


def test_a_v2_host_is_recognised_by_its_controllers(tmp_path: Path) -> None:
    (tmp_path / "cgroup.controllers").write_text("cpuset cpu io memory pids\n")
    found = find_hierarchies(f"30 23 0:26 / {tmp_path} rw - cgroup2 cgroup2 rw,nsdelegate\n")
    assert (found.version, found.v2) == (2, tmp_path)


@pytest.mark.parametrize(("controllers", "can_pin"), [("cpuset cpu memory pids", True), ("cpu memory pids", False)])
def test_a_v2_host_without_cpuset_judges_unpinned(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, controllers: str, can_pin: bool
) -> None:
    root, work = tmp_path / "cgroup", tmp_path / "work"
    for folder in (root, root / _parent_name(work), root / _parent_name(work) / "jail-z"):
        folder.mkdir()
        (folder / "cgroup.controllers").write_text(controllers)  # as the kernel would
    for folder in (root / _parent_name(work) / "jail-z", root / _parent_name(work) / "jail-z" / "init"):
        folder.mkdir(exist_ok=True)
        (folder / "cgroup.procs").write_text("")
    for folder in (root, root / _parent_name(work), root / _parent_name(work) / "jail-z"):
        (folder / "cgroup.subtree_control").write_text("")
        (folder / "cpuset.cpus").write_text("")
    found = find_hierarchies(f"30 23 0:26 / {root} rw - cgroup2 cgroup2 rw,nsdelegate\n")
    monkeypatch.setattr("sandbox.cgroups.cgroup.find_hierarchies", lambda: found)
    ControlGroups(work).open_jail("jail-z", (1,))
    assert found.can_pin is can_pin
    assert (root / _parent_name(work) / "jail-z" / "cpuset.cpus").read_text() == ("1" if can_pin else "")


def test_a_host_without_control_groups_says_so() -> None:
    with pytest.raises(CgroupError, match="mount cgroup2"):
        find_hierarchies("21 1 0:19 / /proc rw - proc proc rw\n")


def test_a_run_group_leaves_nothing_behind(tmp_path: Path) -> None:
    groups = ControlGroups(tmp_path)
    jail = groups.open_jail("jail-x", (0,))
    run = jail.open_run(memory_bytes=1 << 24, processes=4)
    assert len(run.entrances) == (1 if run.is_v2 else 3)
    assert run.oom_kills() == 0
    run.close()
    jail.remove_old()
    jail.make_next()
    assert jail.open_run(memory_bytes=1 << 24, processes=4).peak_bytes() < 1 << 20  # never the one before
    jail.close()
    assert groups.names() == set()
    groups.close()


def test_the_cpu_time_of_closed_jails_counts(sandbox: NsjailSandbox) -> None:
    groups = ControlGroups(WORK_ROOT)
    with sandbox.open_jail(JailSpec()):  # so that nobody removes the group that counts
        before = groups.cpu_time_us()
        with sandbox.open_jail(JailSpec()):
            pass
        assert groups.cpu_time_us() > before


def test_the_limits_of_a_run_are_its_own_whatever_those_before_it_had(tmp_path: Path) -> None:
    groups = ControlGroups(tmp_path)
    jail = groups.open_jail("jail-x", (0,))
    slack = 2 << 20
    for mebibytes, processes in ((16, 4), (64, 4), (64, 9), (8, 1)):
        run = jail.open_run(memory_bytes=mebibytes << 20, processes=processes)
        memory = run._folders["memory"]
        names = ["memory.max"] if run.is_v2 else ["memory.limit_in_bytes", "memory.memsw.limit_in_bytes"]
        for name in names:
            if (memory / name).exists():
                assert int((memory / name).read_text()) == (mebibytes << 20) + slack
        assert int((run._folders["pids"] / "pids.max").read_text()) == processes
        jail.remove_old()
        jail.make_next()  # with these limits
        run.close()
    jail.close()
    groups.close()


def test_a_jail_keeps_no_descriptor_when_it_closes(tmp_path: Path) -> None:
    before = open_descriptors()
    groups = ControlGroups(tmp_path)
    jail = groups.open_jail("jail-x", (0,))
    jail.open_run(memory_bytes=1 << 24, processes=4).close()
    jail.remove_old()
    jail.make_next()
    jail.close()
    groups.close()
    assert open_descriptors() == before


def test_a_jail_opens_while_others_remove_what_is_idle(tmp_path: Path) -> None:
    """Another installation on this host looks for idle groups at any moment: `remove_idle`, of these groups alone."""
    found, name, is_over = find_hierarchies(), _parent_name(tmp_path), threading.Event()
    roots = {found.v2} if found.v2 else {*found.v1.values()}

    def remove_all_the_time() -> None:
        while not is_over.wait(0.002 * SLOWNESS):
            for root in roots:
                with suppress(OSError):
                    (root / name).rmdir()

    remover = threading.Thread(target=remove_all_the_time)
    remover.start()
    try:
        groups = ControlGroups(tmp_path)
        for number in range(200):
            jail = groups.open_jail(f"jail-{number}", (0,))
            assert all(entrance.exists() for entrance in jail.entrances())
            jail.close()
    finally:
        is_over.set()
        remover.join()
    groups.close()


def test_jails_are_listed_while_others_remove_what_is_idle(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    groups = ControlGroups(tmp_path)
    groups.open_jail("jail-x").close()
    is_there = Path.is_dir

    def remove_after_looking(path: Path) -> bool:
        found = is_there(path)
        if found and path.name == _parent_name(tmp_path):
            path.rmdir()
        return found

    monkeypatch.setattr(Path, "is_dir", remove_after_looking)
    assert groups.names() == set()
    groups.remove("jail-x")


def test_closing_a_jail_kills_what_is_in_it(tmp_path: Path) -> None:
    groups = ControlGroups(tmp_path)
    jail = groups.open_jail("jail-y")
    sleeper = subprocess.Popen([sys.executable, "-c", "import time; time.sleep(60)"])
    for entrance in jail.entrances():
        entrance.write_text(str(sleeper.pid))
    jail.close()
    assert sleeper.wait(10) == -signal.SIGKILL
    groups.close()


def test_a_group_that_cannot_be_removed_says_what_it_holds(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cgroupfs, "_PATIENCE_S", 0.0)
    groups = ControlGroups(tmp_path)
    jail = groups.open_jail("jail-z")
    with pytest.raises(CgroupError, match=r"cannot remove the control group .*busy \(it holds jail-z\)"):
        groups.close()
    jail.close()
    groups.close()


def test_groups_of_an_idle_work_folder_are_removed_and_made_again(tmp_path: Path) -> None:
    idle, busy = ControlGroups(tmp_path / "idle"), ControlGroups(tmp_path / "busy")
    jail = busy.open_jail("jail-x")
    ControlGroups(tmp_path / "idle").remove_idle()
    assert busy.names() == {"jail-x"}
    jail.close()
    busy.remove_idle()
    assert idle.names() == set()
    again = idle.open_jail("jail-y", (0,))
    assert again.open_run(memory_bytes=1 << 24, processes=4).oom_kills() == 0
    again.close()
    idle.close()
    busy.close()


def test_killing_what_another_container_has_in_a_group_never_reaches_ourselves(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    killed: list[int] = []
    monkeypatch.setattr(os, "kill", lambda pid, number: killed.append(pid))
    cgroupfs.kill(tmp_path, [0, 4_000_000])  # as cgroup v2 lists a process of another PID namespace
    assert killed == [4_000_000]


def test_a_group_whose_parent_was_made_a_moment_ago_and_is_empty_gets_the_grandparents_cores(tmp_path: Path) -> None:
    inner = tmp_path / "parent" / "group"
    inner.mkdir(parents=True)
    for folder, cores in ((tmp_path, "0-1\n"), (inner.parent, "\n"), (inner, "\n")):
        for name in ("cpuset.cpus", "cpuset.mems"):
            (folder / name).write_text(cores)
    cgroupfs.inherit_cpuset(inner)
    assert (inner.parent / "cpuset.cpus").read_text() == (inner / "cpuset.cpus").read_text() == "0-1"
