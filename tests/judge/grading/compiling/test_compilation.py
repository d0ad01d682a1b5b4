"""The compile step's own decisions, on a scripted compiler: what is kept, and when a short cut does not count."""

import errno
import hashlib
import json
import os
import signal
from dataclasses import replace
from pathlib import Path

import pytest

from judge.grading.compile_problem import CompileProblem, CompileStop
from judge.grading.compiling import precompiled_header
from judge.grading.compiling.compilation import (
    PROGRAM_BYTES,
    Compilation,
    Compiler,
    Sources,
    compile_limits,
    single_file,
)
from judge.grading.compiling.precompiled_header import HEADERS
from judge.grading.languages import CPP, PYTHON, RUST, Language
from problems.jsonvalues import from_json, to_json
from problems.package import ProblemLimits
from sandbox.errors import WorkdirError
from sandbox.types import MIB, Command, Ending, Limits, Outcome, Usage
from tests.fakes import EXITED, FakeSandbox, Scripted

LIMITS = compile_limits(ProblemLimits())
PLAIN = single_file(CPP, b"int main() {}")
WITH_HEADER = single_file(CPP, b"#include <bits/stdc++.h>\nint main() {}")
COMPILED = Scripted(files={"main": b"\x7fELF"}, outcome=replace(EXITED, usage=Usage(wall_time_us=7)))
REFUSED = Outcome(ending=Ending.EXITED, exit_code=1, usage=Usage(wall_time_us=5))
ERROR = b"/program/main.cpp:1:5: error: 'x' was not declared in this scope"


class Workshop:
    """A compiler that does what it is told, with one cache for all of its compilations."""

    def __init__(self, folder: Path, *script: Scripted) -> None:
        self.folder = folder
        self.script = list(script)
        self.limits: list[Limits] = []
        self.sandbox = FakeSandbox(self._answer)
        self.compiler = Compiler(sandbox=self.sandbox, work_root=folder)

    def _answer(self, command: Command, limits: Limits) -> Scripted:
        self.limits.append(limits)
        return self.script.pop(0) if len(self.script) > 1 else self.script[0]

    def compile(self, sources: Sources = PLAIN, author: int = 0) -> Compilation:
        folder = self.folder / f"grade-{len(list(self.folder.iterdir()))}"
        folder.mkdir()
        return self.compiler.compile(sources, LIMITS, folder, author)

    @property
    def flags(self) -> list[tuple[str, ...]]:
        """The flags of each run that are not those of every compilation."""
        return [
            tuple(flag for flag in each.argv if flag in (*precompiled_header.FLAGS, *CPP.mold_flags))
            for each in self.sandbox.commands
        ]


@pytest.fixture(autouse=True)
def no_mold(monkeypatch: pytest.MonkeyPatch) -> None:
    """The same on every host."""
    monkeypatch.setattr("judge.grading.languages.language.links_with_mold", lambda: False)


@pytest.fixture
def mold(monkeypatch: pytest.MonkeyPatch, no_mold: None) -> None:
    """A host that has mold."""
    monkeypatch.setattr("judge.grading.languages.language.links_with_mold", lambda: True)


def plant_header(work_root: Path) -> Path:
    """A precompiled header as `judge.grading.compiling.precompiled_header` leaves it."""
    place = precompiled_header._place(CPP, work_root / "cache")
    built = place / "include" / "bits" / "stdc++.h.gch"
    built.parent.mkdir(parents=True)
    built.write_bytes(b"gpch")
    (place / "sha256").write_text(hashlib.sha256(b"gpch").hexdigest())
    return built


@pytest.mark.parametrize(("language", "source"), [(CPP, b"int main() {}"), (RUST, b"fn main() {}")])
def test_the_second_time_no_compiler_runs_and_the_program_is_a_copy(
    tmp_path: Path, language: Language, source: bytes
) -> None:
    shop = Workshop(tmp_path, replace(COMPILED, stderr=b"a warning"))
    first, second = (shop.compile(single_file(language, source)) for _ in range(2))
    assert (first.wall_time_us, second.wall_time_us) == (7, None)
    assert first.message == second.message == "a warning"
    assert len(shop.sandbox.commands) == 1
    assert first.executable
    assert second.executable
    programs = [each.mount.source / "main" for each in (first.executable, second.executable)]
    assert [path.read_bytes() for path in programs] == [b"\x7fELF"] * 2
    assert [path.stat().st_mode & 0o777 for path in programs] == [0o755] * 2
    (kept,) = (tmp_path / "cache" / "compiled").iterdir()
    assert len({path.stat().st_ino for path in (*programs, kept)}) == 3


def test_nobody_gets_what_was_compiled_for_somebody_else(tmp_path: Path) -> None:
    shop = Workshop(tmp_path, COMPILED)
    times = [shop.compile(author=author).wall_time_us for author in (0, 1, 2, 1, 0)]
    assert times == [7, 7, 7, None, None]


def test_a_checked_source_that_is_run_itself_is_known_the_second_time(tmp_path: Path) -> None:
    shop = Workshop(tmp_path, Scripted())
    first, second = (shop.compile(single_file(PYTHON, b"print(1)")) for _ in range(2))
    assert (first.wall_time_us, second.wall_time_us) == (0, None)
    assert second.executable
    assert (second.executable.mount.source / "main.py").read_bytes() == b"print(1)"


@pytest.mark.parametrize(
    ("language", "message"),
    [
        (CPP, ERROR),
        (CPP, b"/program/main.cpp:1:10: fatal error: foo.h: No such file or directory"),
        (RUST, b"error[E0308]: mismatched types\n --> /program/main.rs:1:30\n"),
        (PYTHON, b'  File "/program/main.py", line 1\n    x = (\nSyntaxError: unexpected EOF'),
    ],
)
def test_a_refusal_for_the_source_s_own_fault_is_kept(tmp_path: Path, language: Language, message: bytes) -> None:
    shop = Workshop(tmp_path, Scripted(outcome=REFUSED, stderr=message))
    first, second = (shop.compile(single_file(language, b"x")) for _ in range(2))
    assert (first.executable, second.executable) == (None, None)
    assert first.message == second.message == message.decode().replace("/program/", "").strip()
    assert (first.wall_time_us, second.wall_time_us) == (5, None)


@pytest.mark.parametrize(
    "compiler",
    [
        *(
            Scripted(outcome=Outcome(ending=ending, signal=9), stderr=ERROR)
            for ending in Ending
            if ending is not Ending.EXITED
        ),
        Scripted(outcome=REFUSED, stderr=b"g++: fatal error: Killed signal terminated program cc1plus"),
        Scripted(outcome=replace(REFUSED, exit_code=4), stderr=ERROR + b"\ng++: internal compiler error: Killed"),
        *(
            Scripted(outcome=REFUSED, stderr=ERROR + b"\nfatal error: " + os.strerror(code).encode())
            for code in (errno.ENOSPC, errno.ENOMEM, errno.EIO, errno.EMFILE, errno.EFBIG)
        ),
        Scripted(outcome=REFUSED),
        Scripted(),
        Scripted(files={"main": b"!<arch>"}),
    ],
    ids=lambda compiler: compiler.stderr[-30:].decode() or str(compiler.outcome.ending),
)
def test_what_a_limit_or_a_failure_of_ours_decided_is_not_kept(tmp_path: Path, compiler: Scripted) -> None:
    shop = Workshop(tmp_path, compiler)
    for _ in range(2):
        compilation = shop.compile()
        assert compilation.executable is None
        assert compilation.wall_time_us is not None
    assert len(shop.sandbox.commands) == 2


@pytest.mark.parametrize(
    ("outcome", "words"),
    [
        (REFUSED, b"g++: internal compiler error: File size limit exceeded signal terminated program as"),
        (REFUSED, b"collect2: fatal error: ld terminated with signal 25 [File size limit exceeded]"),
        (Outcome(ending=Ending.SIGNALLED, signal=signal.SIGXFSZ), b""),
    ],
)
def test_a_file_that_grew_too_large_is_called_that(tmp_path: Path, outcome: Outcome, words: bytes) -> None:
    compilation = Workshop(tmp_path, Scripted(outcome=outcome, stderr=words)).compile()
    assert compilation.executable is None
    assert compilation.problem == CompileProblem(code=CompileStop.FILE_SIZE, limit=PROGRAM_BYTES)
    assert compilation.message == words.decode()


@pytest.mark.parametrize(
    ("compiler", "problem", "sentence"),
    [
        (
            Scripted(outcome=Outcome(ending=Ending.CPU_LIMIT, signal=9)),
            CompileProblem(code=CompileStop.CPU_TIME, limit=10_000),
            "The compiler was stopped: it used more than 10 s of CPU time.",
        ),
        (
            Scripted(outcome=Outcome(ending=Ending.MEMORY_LIMIT, signal=9)),
            CompileProblem(code=CompileStop.MEMORY, limit=LIMITS.memory_bytes),
            "The compiler was stopped: it needed more than 1 GiB of memory.",
        ),
        (
            Scripted(outcome=Outcome(ending=Ending.OUTPUT_LIMIT, signal=9)),
            CompileProblem(code=CompileStop.MESSAGES, limit=8 * MIB),
            "The compiler was stopped: it wrote more than 8 MiB of messages.",
        ),
        (
            Scripted(outcome=Outcome(ending=Ending.SIGNALLED, signal=11)),
            CompileProblem(code=CompileStop.CRASHED, signal="SIGSEGV (segmentation fault)"),
            "The compiler crashed: SIGSEGV (segmentation fault) ended it.",
        ),
        (
            Scripted(),
            CompileProblem(code=CompileStop.NO_PROGRAM, limit=PROGRAM_BYTES),
            "The compiler left no program, or one of more than 64 MiB.",
        ),
        (
            Scripted(files={"main": b"!<arch>"}),
            CompileProblem(code=CompileStop.NOT_A_PROGRAM),
            "The compiler left a file that is not a program.",
        ),
        (
            Scripted(outcome=REFUSED),
            CompileProblem(code=CompileStop.SILENT),
            "The compiler refused the program without a message.",
        ),
        (Scripted(outcome=REFUSED, stderr=ERROR), None, "main.cpp:1:5: error: 'x' was not declared in this scope"),
    ],
)
def test_an_end_that_the_compiler_does_not_explain_is_a_code_with_its_values(
    tmp_path: Path, compiler: Scripted, problem: CompileProblem | None, sentence: str
) -> None:
    compilation = Workshop(tmp_path, compiler).compile()
    assert (compilation.executable, compilation.problem) == (None, problem)
    assert compilation.words == sentence
    if problem is not None:
        assert from_json(CompileProblem, json.loads(json.dumps(to_json(problem)))) == problem


def test_every_end_has_a_sentence() -> None:
    sentences = {CompileProblem(code=code).sentence for code in CompileStop}
    assert len(sentences) == len(CompileStop)


def test_the_compiler_is_stopped_at_its_limit_and_not_later(tmp_path: Path) -> None:
    shop = Workshop(tmp_path, COMPILED)
    shop.compile()
    (limits,) = shop.limits
    assert (limits.cpu_time_ms, limits.overrun_percent, limits.wall_time_ms) == (10_000, 0, 14_000)
    assert limits.file_bytes == PROGRAM_BYTES


def test_a_folder_that_cannot_be_written_to_is_our_fault(tmp_path: Path) -> None:
    compiler = Workshop(tmp_path, COMPILED).compiler
    with pytest.raises(WorkdirError, match="cannot compile in"):
        compiler.compile(PLAIN, LIMITS, tmp_path / "taken away")


def test_the_header_is_shown_to_the_compiler_of_a_source_that_names_it_and_to_nobody_else(tmp_path: Path) -> None:
    shop = Workshop(tmp_path, COMPILED)
    built = plant_header(tmp_path)
    compilation = shop.compile(WITH_HEADER)
    shop.compile(PLAIN)
    shop.compile(single_file(RUST, b"// bits/stdc++.h"))
    assert shop.flags == [precompiled_header.FLAGS, (), ()]
    assert [[mount.target for mount in spec.mounts] for spec in shop.sandbox.specs] == [
        ["/program", HEADERS],
        ["/program"],
        ["/program"],
    ]
    assert shop.sandbox.specs[0].mounts[1].source == built.parent.parent
    assert compilation.executable
    assert compilation.executable.mount.target == "/program"


@pytest.mark.parametrize("damage", ["empty", "other", "gone", "no-digest"])
def test_a_damaged_header_is_not_shown(tmp_path: Path, damage: str) -> None:
    built = plant_header(tmp_path)
    if damage == "gone":
        built.unlink()
    elif damage == "no-digest":
        (built.parents[2] / "sha256").unlink()
    else:
        built.write_bytes(b"" if damage == "empty" else b"gpcj")
    shop = Workshop(tmp_path, COMPILED)
    shop.compile(WITH_HEADER)
    assert shop.flags == [()]


def test_a_header_of_another_toolchain_is_not_shown(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    plant_header(tmp_path)
    monkeypatch.setattr(Language, "fingerprint", lambda language: "a newer compiler")
    shop = Workshop(tmp_path, COMPILED)
    shop.compile(WITH_HEADER)
    assert shop.flags == [()]


STACK = b"In file included from /usr/include/c++/12/bits/stl_algo.h:60:\nwarning: deprecated"


@pytest.mark.parametrize(
    ("first", "is_run_again"),
    [
        (COMPILED, False),
        (replace(COMPILED, stderr=b"main.cpp:1:1: warning: division by zero"), False),
        (replace(COMPILED, stderr=STACK), True),
        (Scripted(outcome=REFUSED, stderr=ERROR), True),
        (Scripted(outcome=REFUSED, stderr=b"fatal error: cannot read PCH file"), True),
        (Scripted(outcome=Outcome(ending=Ending.SIGNALLED, signal=11)), True),
        (Scripted(outcome=Outcome(ending=Ending.CPU_LIMIT, signal=9)), False),
        (Scripted(outcome=Outcome(ending=Ending.MEMORY_LIMIT, signal=9)), False),
        (Scripted(outcome=replace(REFUSED, usage=Usage(wall_time_us=4_700_000)), stderr=ERROR), False),
    ],
)
def test_with_the_header_only_a_program_counts_or_a_limit(tmp_path: Path, first: Scripted, is_run_again: bool) -> None:
    plant_header(tmp_path)
    shop = Workshop(tmp_path, first, replace(COMPILED, stderr=b"the last word"))
    compilation = shop.compile(WITH_HEADER)
    assert shop.flags == ([precompiled_header.FLAGS, ()] if is_run_again else [precompiled_header.FLAGS])
    assert (compilation.message == "the last word") is is_run_again
    if is_run_again:
        assert compilation.wall_time_us == first.outcome.usage.wall_time_us + 7


def test_both_runs_together_take_no_more_than_one_may(tmp_path: Path) -> None:
    plant_header(tmp_path)
    first = Scripted(outcome=replace(REFUSED, usage=Usage(wall_time_us=4_600_000)), stderr=ERROR)
    shop = Workshop(tmp_path, first, Scripted(outcome=Outcome(ending=Ending.WALL_LIMIT, signal=9)))
    compilation = shop.compile(WITH_HEADER)
    assert [limits.wall_time_ms for limits in shop.limits] == [14_000, 9_400]
    assert compilation.problem == CompileProblem(code=CompileStop.WALL_TIME, limit=9_400)
    assert compilation.words == "The compiler was stopped: it took more than 9.4 s."


@pytest.mark.usefixtures("mold")
@pytest.mark.parametrize(
    ("first", "is_run_again"),
    [
        (COMPILED, False),
        (replace(COMPILED, stderr=STACK), False),
        (Scripted(outcome=REFUSED, stderr=ERROR), False),
        (Scripted(outcome=REFUSED, stderr=b"mold: error: undefined symbol\ncollect2: error: ld returned 1"), True),
        (Scripted(outcome=REFUSED, stderr=b"error: linking with `cc` failed"), True),
    ],
)
def test_what_mold_refuses_is_linked_again_with_the_usual_linker(
    tmp_path: Path, first: Scripted, is_run_again: bool
) -> None:
    shop = Workshop(tmp_path, first, COMPILED)
    shop.compile(PLAIN)
    assert shop.flags == ([CPP.mold_flags, ()] if is_run_again else [CPP.mold_flags])
