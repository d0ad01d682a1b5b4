"""A program linked with mold behaves exactly like one of the usual linker. Without mold both are the same.

The bytes that it reads are left out: Rust's runtime reads the list of its own memory areas, which the linker lays out.
"""

from dataclasses import replace
from pathlib import Path

import pytest

from judge.grading.compiling.compilation import Compiler, compile_limits, single_file
from judge.grading.languages import CPP, RUST, Language
from problems.package import ProblemLimits
from sandbox.jail.nsjail import NsjailSandbox
from sandbox.types import Command, Ending, IoProfile, JailSpec, Limits
from sandbox.workdir import fresh_folder

PROGRAMS = {
    "cpp": "#include <iostream>\n#include <cstdlib>\n"
    'int main() { for (int i = 0; i < 9; i++) std::cout << i << std::endl; std::cerr << "x"; std::abort(); }',
    "rust": 'fn main() { for i in 0..9 { println!("{}", i); } eprint!("x"); std::process::abort(); }',
}


def end_of(language: Language, sandbox: NsjailSandbox, folder: Path) -> tuple[Ending, int | None, IoProfile, bytes]:
    """How the language's program ends, what it called, and what it was linked with."""
    (folder / "build").mkdir(mode=0o711)
    compiler = Compiler(sandbox=sandbox, work_root=folder)
    source = single_file(language, PROGRAMS[language.id].encode())
    executable = compiler.compile(source, compile_limits(ProblemLimits()), folder / "build").executable
    assert executable is not None
    with sandbox.open_jail(JailSpec(mounts=(executable.mount,))) as jail:
        outcome = jail.run(Command(argv=executable.argv(0)), Limits())
    program = (executable.mount.source / "main").read_bytes()
    return outcome.ending, outcome.signal, replace(outcome.io, read_bytes=0), program


@pytest.mark.parametrize("language", [CPP, RUST], ids=lambda language: language.id)
def test_the_linker_changes_nothing_that_is_measured(
    language: Language, sandbox: NsjailSandbox, work_root: Path
) -> None:
    ends = []
    for each in (language, replace(language, mold_flags=())):
        with fresh_folder(work_root, "linked-") as folder:
            ends.append(end_of(each, sandbox, folder))
    assert ends[0][:3] == ends[1][:3]
    assert (ends[0][0], ends[0][1]) == (Ending.SIGNALLED, 6)
    assert ends[0][2].write_calls == 10
    assert (b"mold " in ends[0][3]) is bool(language.fast_link_flags())
    assert b"mold " not in ends[1][3]
