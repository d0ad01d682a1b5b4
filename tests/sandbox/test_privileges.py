"""Fewer privileges: with the listed ones and no more all works, without any one of them something fails.

Every test starts a process of its own with exactly the capabilities that it names (setpriv), as user 0 or another.
"""

import json
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
import yaml

from sandbox.cgroups.cgroup import ControlGroups
from sandbox.cgroups.cgroupfs import find_hierarchies
from sandbox.privileges import CAPABILITIES, FIRST, Capability, can_be_jail_users, is_held

ROOT = Path(__file__).parents[2]
NAMES = [each.name for each in CAPABILITIES]
METER = "system calls by name"
WHAT_FAILS = {
    "CAP_SETUID": "Couldn't initialize user namespace",
    "CAP_SETGID": "Couldn't initialize user namespace",
    "CAP_CHOWN": "Operation not permitted",
    "CAP_DAC_OVERRIDE": "cannot make the control group",
    "CAP_BPF": "the kernel refused meter.bpf.o: Operation not permitted",
    "CAP_PERFMON": "the kernel refused meter.bpf.o: Operation not permitted",
}
WORK = """if True:
    import os, sys
    from pathlib import Path
    from sandbox.image import resident
    from sandbox.jail.nsjail import NsjailSandbox
    from sandbox.types import Command, Destination, JailSpec, Limits
    if len(sys.argv) > 2:
        os.geteuid = lambda: 0  # what only asks is told yes; what the kernel refuses stays refused
        resident.resident_root = lambda: Path(sys.argv[1]).parent
    sandbox = NsjailSandbox(Path(sys.argv[1]))
    with sandbox.open_jail(JailSpec()) as jail:
        outcome = jail.run(Command(argv=("/usr/bin/true",), destination=Destination.TERMINAL), Limits())
        jail._group.close()  # kills the init, another user's process, without CAP_KILL
    print(outcome.ending.value, sandbox.meter_problem())"""


@pytest.fixture
def work_root(folder: Path) -> Iterator[Path]:
    """A work folder that no worker ever used: its control groups have yet to be made."""
    yield folder / "work"
    ControlGroups(folder / "work").close()


def start(names: list[str], *arguments: str, user: int = 0) -> "subprocess.CompletedProcess[str]":
    """Run Python with these capabilities alone."""
    kept = ",".join(["-all", *("+" + name.removeprefix("CAP_").lower() for name in names)])
    who = ["--reuid", str(user), "--regid", str(user), "--clear-groups", "--ambient-caps", kept] if user else []
    command = ["setpriv", *who, "--bounding-set", kept, "--inh-caps", kept, sys.executable, *arguments]
    return subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=60, check=False)


def ask_doctor(names: list[str], work_root: Path, user: int = 0) -> tuple[int, dict[str, dict[str, str | bool]]]:
    """The doctor's exit code, and its checks by name."""
    done = start(names, "-m", "sandbox", "--work-dir", str(work_root), "doctor", "--json", user=user)
    return done.returncode, {check["name"]: check for check in json.loads(done.stdout)}


def all_but(capability: Capability) -> list[str]:
    return [name for name in NAMES if name != capability.name]


def test_with_the_listed_capabilities_and_no_more_the_whole_doctor_passes(work_root: Path) -> None:
    code, checks = ask_doctor(NAMES, work_root)
    assert code == 0
    assert [name for name, check in checks.items() if check["needed"] and not check["ok"]] == []
    assert checks[METER]["ok"], checks[METER]["detail"]
    sampling = checks["CPU time by line"]
    if not sampling["ok"]:  # some distributions' kernels ask for CAP_SYS_ADMIN then
        assert int(Path("/proc/sys/kernel/perf_event_paranoid").read_text()) > 2, sampling["detail"]
        assert "set kernel.perf_event_paranoid to 2 or less" in str(sampling["detail"])


@pytest.mark.parametrize("capability", CAPABILITIES, ids=NAMES)
def test_the_doctor_names_the_one_that_is_missing_and_why_it_is_needed(capability: Capability, work_root: Path) -> None:
    code, checks = ask_doctor(all_but(capability), work_root)
    assert [name for name in NAMES if not checks[name]["ok"]] == [capability.name]
    assert checks[capability.name]["detail"] == f"missing; it {capability.reason}"
    assert f"--cap-add {capability.name.removeprefix('CAP_')}" in str(checks[capability.name]["remedy"])
    assert code == (1 if capability.needed else 0)
    assert (METER in checks) is not capability.needed  # nothing else is tried when there is no hope


@pytest.mark.parametrize("capability", CAPABILITIES, ids=NAMES)
def test_without_any_one_of_them_something_really_fails(capability: Capability, work_root: Path) -> None:
    done = start(all_but(capability), "-c", WORK, str(work_root))
    assert WHAT_FAILS[capability.name] in done.stdout + done.stderr
    assert (done.returncode != 0) is capability.needed


def test_with_all_of_them_nothing_fails(work_root: Path) -> None:
    assert start(NAMES, "-c", WORK, str(work_root)).stdout == "exited None\n"


def test_another_user_with_the_same_capabilities_is_refused_with_the_reason(work_root: Path) -> None:
    code, checks = ask_doctor(NAMES, work_root, user=1)
    assert code == 1
    assert checks["user 0"]["detail"] == "running as user 1"
    assert "start as root" in str(checks["user 0"]["remedy"])


@pytest.mark.skipif(find_hierarchies().version == 2, reason="it is cgroup v1 that lets only user 0 do it")
def test_another_user_really_cannot_bring_a_program_into_its_group(work_root: Path) -> None:
    done = start([*NAMES, "CAP_SYS_ADMIN"], "-c", WORK, str(work_root), "claim to be root", user=1)
    assert "could not enter its control group: Permission denied" in done.stderr


def test_in_a_user_namespace_there_are_no_users_for_jails() -> None:
    assert can_be_jail_users("0 0 4294967295\n")
    assert can_be_jail_users(f"0 1000 1\n{FIRST} {FIRST} 65536\n")
    assert not can_be_jail_users("0 1000 1\n1 100000 65536\n")
    assert not can_be_jail_users(f"{FIRST} {FIRST} 1000\n")


def test_the_large_capability_holds_the_two_small_ones_and_no_other() -> None:
    status = f"CapPrm:\tffffffff\nCapEff:\t{1 << 21:016x}\n"
    assert [each.name for each in CAPABILITIES if is_held(each, status)] == ["CAP_BPF", "CAP_PERFMON"]


def test_compose_gives_the_worker_this_list_and_the_others_nothing() -> None:
    services = yaml.safe_load((ROOT / "docker-compose.yml").read_text())["services"]
    assert sorted(f"CAP_{name}" for name in services["worker"]["cap_add"]) == sorted(NAMES)
    ours = [service for service in services.values() if service["image"] == "tally"]
    assert [service["cap_drop"] for service in ours] == [["ALL"]] * 3
    assert sum("cap_add" in service for service in ours) == 1
    assert not any("privileged" in service for service in services.values())


def test_compose_has_every_option_that_the_documentation_lists_for_a_container() -> None:
    text = (ROOT / "sandbox" / "privileges.md").read_text().partition("\n## In a container\n")[2]
    listed = {span for row in re.findall(r"^\| (.*?) \|", text, re.MULTILINE) for span in re.findall("`(--.*?)`", row)}
    worker = yaml.safe_load((ROOT / "docker-compose.yml").read_text())["services"]["worker"]
    options = {f"--security-opt {each.replace(':true', '').replace(':', '=')}" for each in worker["security_opt"]}
    options |= {f"--volume {each}" for each in worker["volumes"] if each.startswith("/")}
    options |= {f"--tmpfs {each}" for each in worker["tmpfs"]}
    options |= {f"--cgroupns {worker['cgroup']}", "--cap-drop ALL --cap-add ..."}
    assert listed == options
    assert "work:/var/lib/tally/work" in worker["volumes"]


def test_the_filter_for_containers_refuses_nothing_that_opens_a_jail_or_samples() -> None:
    (rule,) = json.loads((ROOT / "sandbox" / "seccomp.json").read_text())["syscalls"]
    jails_need = {
        "clone",
        "clone3",
        "unshare",
        "setns",
        "mount",
        "umount2",
        "pivot_root",
        "sethostname",
        "bpf",
        "perf_event_open",
        "seccomp",
    }
    assert not jails_need & {*rule["names"]}


def test_the_documentation_lists_each_with_its_reason() -> None:
    text = (ROOT / "sandbox" / "privileges.md").read_text()
    rows = [line for line in text.splitlines() if line.startswith("| `CAP_")]
    assert rows == [f"| `{each.name}` | {each.reason} | {'yes' if each.needed else 'no'} |" for each in CAPABILITIES]
