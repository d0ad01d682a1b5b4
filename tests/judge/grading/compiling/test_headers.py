"""The precompiled header for real: built once, twice as fast, and nobody can tell from messages or programs."""

import hashlib
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from judge.grading.compiling import precompiled_header
from judge.grading.compiling.compilation import Compilation, Compiler, compile_limits, single_file
from judge.grading.languages import CPP
from problems.package import ProblemLimits
from problems.store.fsync import try_lock
from sandbox.jail.nsjail import NsjailSandbox
from sandbox.workdir import fresh_folder

assert CPP.header is not None
HEADER = CPP.header
ROOT = Path(__file__).resolve().parents[4]
INCLUDE = "#include <bits/stdc++.h>\nusing namespace std;\n"
SMALL = INCLUDE + "int main() { int a, b; cin >> a >> b; cout << a + b << endl; }\n"


@pytest.fixture(scope="module")
def plain(work_root: Path, sandbox: NsjailSandbox) -> Iterator[Compiler]:
    """A compiler on a host where nothing was prepared."""
    with fresh_folder(work_root, "plain-") as folder:
        yield Compiler(sandbox=sandbox, work_root=folder)


@pytest.fixture(scope="module")
def quick(work_root: Path, sandbox: NsjailSandbox) -> Iterator[Compiler]:
    """A compiler with the precompiled header, built as a worker has it built, where a damaged one lay."""
    with fresh_folder(work_root, "quick-") as folder:
        plant(folder, b"half of a header", digest="of the whole")
        subprocess.run(
            [sys.executable, "-m", "judge.grading.compiling.precompiled_header", folder], cwd=ROOT, check=True
        )
        yield Compiler(sandbox=sandbox, work_root=folder)


def plant(work_root: Path, content: bytes, digest: str = "") -> None:
    """Put a precompiled header where it belongs; its digest says that it is right, unless another one is given."""
    place = precompiled_header._place(CPP, work_root / "cache")
    built = precompiled_header._built_file(place, HEADER)
    built.parent.mkdir(parents=True)
    for parent in built.parents[:5]:
        parent.chmod(0o755)
    built.write_bytes(content)
    (place / "sha256").write_text(digest or hashlib.sha256(content).hexdigest())


def compile_with(compiler: Compiler, source: str) -> tuple[Compilation, bytes]:
    """The compilation and its program. Nothing of it is kept."""
    limits = compile_limits(ProblemLimits())
    with fresh_folder(compiler.work_root, "grade-") as folder:
        compilation = compiler.compile(single_file(CPP, source.encode()), limits, folder)
        program = folder / "program" / "main"
        content = program.read_bytes() if program.exists() else b""
    for kept in (compiler.cache / "compiled").glob("*"):
        kept.unlink()
    return compilation, content


@pytest.mark.thorough
def test_a_small_program_takes_at_most_half_the_time(plain: Compiler, quick: Compiler) -> None:
    times: dict[str, list[int]] = {"plain": [], "quick": []}
    for _ in range(2):
        for name, compiler in (("plain", plain), ("quick", quick)):
            compilation, _ = compile_with(compiler, SMALL)
            assert compilation.wall_time_us is not None
            times[name].append(compilation.wall_time_us)
    assert min(times["quick"]) <= min(times["plain"]) / 2, times


SAME = {
    "places": INCLUDE + "static_assert(__LINE__ == 3 && __INCLUDE_LEVEL__ == 0);\nint main() { puts(__FILE__); }\n",
    "warnings": INCLUDE + "int f() {}\nint main() { return 1 / 0; }\n",
    "errors": INCLUDE + "int main() { list<int> l; sort(l.begin(), l.end()); return undeclared; }\n",
    "debug": "#define _GLIBCXX_DEBUG\n" + SMALL,
    "pragma": '#pragma GCC optimize("O3")\n#pragma GCC target("avx2")\n' + SMALL,
    "layout": "#pragma pack(1)\n" + SMALL + "struct S { char c; int i; };\nstatic_assert(sizeof(S) == 5);\n",
}


@pytest.mark.parametrize(
    "name", [name if name == "errors" else pytest.param(name, marks=pytest.mark.thorough) for name in SAME]
)
@pytest.mark.thorough
def test_program_and_messages_are_the_same(name: str, plain: Compiler, quick: Compiler) -> None:
    (expected, program), (compilation, same) = (compile_with(compiler, SAME[name]) for compiler in (plain, quick))
    assert compilation.message == expected.message
    assert same == program
    assert bool(program) is (name != "errors")
    assert bool(expected.message) is (name in ("warnings", "errors"))


@pytest.mark.parametrize(
    "damage", ["half", *(pytest.param(damage, marks=pytest.mark.thorough) for damage in ("short", "zeros"))]
)
@pytest.mark.thorough
def test_an_unusable_header_makes_no_compile_error(
    damage: str, quick: Compiler, sandbox: NsjailSandbox, work_root: Path
) -> None:
    """Also when its digest claims that it is as it should be."""
    good = precompiled_header._built_file(precompiled_header._place(CPP, quick.cache), HEADER).read_bytes()
    broken = {"short": b"gpch", "half": good[: len(good) // 2], "zeros": good[:4096] + bytes(len(good) - 4096)}
    with fresh_folder(work_root, "broken-") as folder:
        plant(folder, broken[damage])
        compiler = Compiler(sandbox=sandbox, work_root=folder)
        assert precompiled_header.find(CPP, {"main.cpp": SMALL.encode()}, compiler.cache) is not None
        compilation, program = compile_with(compiler, SMALL)
    assert (compilation.message, program[:4]) == ("", b"\x7fELF")


@pytest.mark.thorough
def test_what_is_built_is_not_built_again(quick: Compiler, sandbox: NsjailSandbox) -> None:
    assert precompiled_header.build_missing(sandbox, quick.work_root) == []
    assert precompiled_header.find(CPP, {"main.cpp": SMALL.encode()}, quick.cache) is not None
    assert not list(quick.work_root.glob("header-*"))


def test_of_two_builders_one_builds(work_root: Path, sandbox: NsjailSandbox) -> None:
    with fresh_folder(work_root, "two-") as folder:
        headers = folder / "cache" / "headers"
        headers.mkdir(parents=True)
        with (headers / ".lock").open("wb") as lock:
            assert try_lock(lock.fileno())
            assert precompiled_header.build_missing(sandbox, folder) == []
        with (headers / ".lock").open("wb") as lock:
            assert try_lock(lock.fileno())


def test_only_the_newest_are_kept(tmp_path: Path) -> None:
    for age, name in enumerate("abcde"):
        (tmp_path / name).mkdir()
        os.utime(tmp_path / name, (1_000 - age, 1_000 - age))
    (tmp_path / ".lock").touch()
    precompiled_header._remove_old(tmp_path)
    assert sorted(path.name for path in tmp_path.iterdir()) == [".lock", "a", "b", "c"]
