"""Prints on given lines that are left out of a source, and those that stay."""

from types import ModuleType

import pytest

from judge.grading.fixes import LEFTOVER
from judge.grading.reading.rewriting import cpp, leftover, python, rust
from judge.grading.reading.rewriting.__main__ import rewritten

_PYTHON = "for i in range(3):\n    print('at', i)\n    print(i)\n"
_CPP = (
    '#include <iostream>\nint main() {\n  for (int i = 0; i < 3; i++)\n    std::cout << "at " << i << std::endl;\n}\n'
)
_RUST = 'fn main() {\n    for i in 0..3 {\n        println!("at {}", i);\n        println!("{}", i);\n    }\n}\n'


def changed(source: str, language: ModuleType, *lines: int) -> str:
    """The source without the prints on these lines."""
    code = f"{LEFTOVER.code}:{','.join(map(str, lines))}"
    return rewritten(source.encode(), language, [code])[0].decode()


def test_the_catalogue_and_the_reader_call_it_the_same() -> None:
    assert LEFTOVER.code == leftover.CODE


@pytest.mark.parametrize(
    ("source", "language", "line", "after"),
    [
        (_PYTHON, python, 2, _PYTHON.replace("    print('at', i)\n", "")),
        (_CPP, cpp, 4, _CPP.replace('std::cout << "at " << i << std::endl;', ";")),
        (_RUST, rust, 3, _RUST.replace('        println!("at {}", i);\n', "")),
    ],
)
def test_the_statement_on_that_line_goes(source: str, language: ModuleType, line: int, after: str) -> None:
    assert changed(source, language, line) == after


def test_several_lines_go_together_and_leave_a_block_that_does_nothing() -> None:
    assert changed(_PYTHON, python, 2, 3) == "for i in range(3):\n    pass\n    pass\n"


@pytest.mark.parametrize(
    ("source", "language", "line"),
    [
        ("print(next(x))\n", python, 1),
        ("import sys\nprint(1, file=sys.stderr)\n", python, 2),
        ("x = 1\n", python, 1),
        ("#include <iostream>\nint main() {\nstd::cout << f();\n}\n", cpp, 3),
        ('fn main() {\n    println!("{}", f());\n}\n', rust, 2),
    ],
)
def test_what_does_more_than_print_stays(source: str, language: ModuleType, line: int) -> None:
    assert changed(source, language, line) == source
