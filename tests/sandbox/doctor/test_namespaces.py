"""Hosts and containers that forbid what a jail needs: each in a namespace where that is so."""

import subprocess
import sys
from pathlib import Path

from sandbox.cgroups.cgroupfs import find_hierarchies
from sandbox.doctor.doctor import why_no_jail

ROOT = Path(__file__).parents[3]
LEAST = "--bounding-set -all,+setuid,+setgid,+chown,+dac_override --inh-caps -all"
ASK = f"{sys.executable} -c 'from sandbox.doctor.doctor import why_no_jail; print(why_no_jail())'"


def run(*command: str) -> str:
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=60, check=False)
    return done.stdout + done.stderr


def ask_doctor(preparation: str, folder: Path) -> str:
    doctor = f"setpriv {LEAST} {sys.executable} -m sandbox --work-dir {folder} doctor"
    return run("unshare", "--mount", "sh", "-c", f"{preparation} && {doctor}")


def test_this_machine_allows_everything() -> None:
    assert why_no_jail() is None
    assert run("sh", "-c", f"setpriv {LEAST} {ASK}") == "None\n"


def test_a_hidden_part_of_the_process_folder_is_named(folder: Path) -> None:
    said = ask_doctor("mount --bind /dev/null /proc/cmdline", folder)
    assert "a jail opens: the jail ended by itself" in said
    assert "systempaths=unconfined" in said


def test_control_groups_that_cannot_be_written_are_named(folder: Path) -> None:
    found = find_hierarchies()
    mount = found.v2 or found.v1["memory"]
    said = ask_doctor(f"mount -o remount,bind,ro {mount}", folder)
    assert "Read-only file system" in said
    assert "mount the host's /sys/fs/cgroup writable" in said


def test_user_namespaces_that_are_switched_off_are_named() -> None:
    said = run("unshare", "--user", "--map-root-user", "sh", "-c", f"echo 0 >/proc/sys/user/max_user_namespaces; {ASK}")
    assert said == "user namespaces are switched off: raise the sysctl user.max_user_namespaces\n"
