"""Which testlib.h is an original, and what the exit codes of its checkers mean."""

import subprocess
import time
from pathlib import Path, PurePosixPath

import pytest

from judge.grading.checkers.testlib import _without_comments, includes_header, is_original, judgement_of
from problems.convert.testlib import Program, checker_files

USER = b'#include "testlib.h"\nint main() {}\n'
ORIGINAL = b"""
#ifndef _TESTLIB_H_
#define _TESTLIB_H_
/* exit codes can be customized, e.g. -DOK_EXIT_CODE=42
#define OK_EXIT_CODE 42 */
#ifndef OK_EXIT_CODE
#   ifdef CONTESTER
#       define OK_EXIT_CODE 0xAC
#   else
#       define OK_EXIT_CODE 0  // fine
#   endif
#endif
#ifndef WA_EXIT_CODE
#   ifdef EJUDGE
#       define WA_EXIT_CODE 5
#   elif defined(CONTESTER)
#       define WA_EXIT_CODE 0xAB
#   else
#       define WA_EXIT_CODE 1
#   endif
#endif
const int answer = 42;
#endif
"""
ORDINARY = ORIGINAL.replace(b"OK_EXIT_CODE 0 ", b"OK_EXIT_CODE 42 ")


@pytest.mark.parametrize(
    ("files", "verdict"),
    [
        ({"check.cpp": USER, "testlib.h": ORIGINAL}, True),
        ({"check.cpp": USER, "testlib.h": ORDINARY}, False),
        ({"check.cpp": USER, "lib/testlib.h": ORIGINAL.replace(b"\n", b"\r\n")}, True),
        ({"check.cpp": b"#  include <lib/testlib.h>", "lib/testlib.h": ORIGINAL}, True),
        ({"check.cpp": b"#define OK_EXIT_CODE 42\n" + USER, "testlib.h": ORIGINAL}, False),
        ({"check.cpp": b"// #define OK_EXIT_CODE 42\n" + USER, "testlib.h": ORIGINAL}, True),
        ({"check.cpp": b"#define CONTESTER\n" + USER, "testlib.h": ORDINARY}, True),
        ({"check.cpp": b"int main() {}", "testlib.h": ORIGINAL}, False),  # it lies there, and is not used
        ({"check.cpp": USER}, False),  # does not compile
        ({"check.cpp": USER, "testlib.h": b"#define OK_EXIT_CODE (42)"}, False),
        ({"check.cpp": USER, "testlib.h": b"#define OK_EXIT_CODE \\\n 0"}, True),
        ({"check.cpp": USER, "testlib.h": b"#if !defined(X)\n#define OK_EXIT_CODE 42\n#endif"}, False),
        (
            {"check.cpp": USER, "testlib.h": b"#if defined X\n#define OK_EXIT_CODE 42\n#else\n#define OK_EXIT_CODE 0"},
            True,
        ),
        (
            {"check.cpp": USER, "testlib.h": b"#if Y > 3\n#define OK_EXIT_CODE 42\n#endif\nint quit() { exit(0); }"},
            False,
        ),
        ({"check.cpp": USER, "testlib.h": b"enum { OK = 0, WA = 1 };"}, True),
        ({"check.cpp": USER, "testlib.h": b"enum { OK = 42, WA = 43 };"}, False),
        ({"check.cpp": USER, "testlib.h": b"\xff\xfe#if\n#endif\n#endif\n#else"}, True),
    ],
)
def test_the_headers_own_text_tells(files: dict[str, bytes], verdict: bool) -> None:
    assert is_original(files) is verdict


@pytest.mark.parametrize(
    ("text", "left"),
    [
        ("a/* b */c", "a c"),
        ("a// b\nc", "a \nc"),
        ("a// b", "a "),
        ("a// b */ c\nd", "a \nd"),
        ("a/* // */b", "a b"),
        ("a/*/b", "a/*/b"),
        ("a/* b // c\nd /* e", "a/* b  \nd /* e"),
        ("*/ /* a */ /* b", "*/   /* b"),
    ],
)
def test_comments_are_left_out(text: str, left: str) -> None:
    assert _without_comments(text) == left


@pytest.mark.parametrize(
    ("beginning", "more"),
    [
        ("#if !", " "),
        ("#if !(", " ( "),
        ("#if defined", "("),
        ("", "/* "),
        ("", "/*/"),
        ("*/", "// \n/* "),
        ("", "#include <"),
        ("", "#include </\n"),
        ("", "#include <" + "/" * 50),
        ("", "#if X\n"),
        ("#", " \t"),
        ("#define OK_EXIT_CODE ", "(1)"),
    ],
)
@pytest.mark.costly
def test_no_text_takes_more_than_time_in_proportion(beginning: str, more: str) -> None:
    def took(times: int) -> float:
        text = (beginning + more * times + "x\n").encode()
        start = time.process_time()
        for files in ({"check.cpp": USER, "testlib.h": text}, {"check.cpp": text + USER, "testlib.h": ORIGINAL}):
            is_original(files)
        return time.process_time() - start

    few, many = (min(took(times) for _ in range(3)) for times in (2_000, 32_000))
    assert many < 16 * 6 * max(few, 0.000_5)  # 256 times as much where it grows with the square


def test_no_word_takes_more_than_time_in_proportion() -> None:
    def took(digits: int) -> float:
        start = time.process_time()
        assert judgement_of(7, f"points {'1' * digits}x", is_scoring=True) is None
        return time.process_time() - start

    few, many = (min(took(digits) for _ in range(3)) for digits in (2_000, 32_000))
    assert many < 16 * 6 * max(few, 0.000_1)


def test_who_includes_it_is_seen_whether_it_is_there_or_not() -> None:
    assert includes_header({"a.cpp": USER})
    assert not includes_header({"a.cpp": b'// #include "testlib.hpp"', "testlib.h": USER})


WORDS: list[tuple[int, str, bool, tuple[bool, float | None] | None]] = [
    (0, "ok 3 numbers", False, (True, None)),
    (1, "wrong answer differ", True, (False, None)),
    (2, "wrong output format", False, (False, None)),
    (4, "wrong output format Extra information", False, (False, None)),
    (8, "unexpected eof", False, (False, None)),
    (3, "FAIL jury has no answer", False, None),
    (5, "", False, None),
    (6, "", True, None),
    (42, "", False, None),
    (43, "", True, None),
    (255, "", True, None),
    (7, "points 0.75 text", True, (True, 0.75)),
    (7, "points 0.75 text", False, None),
    (7, "points 1e999 text", True, None),
    (7, "points many", True, None),
    (7, "\n  points 1e-3\nhardly", True, (True, 0.001)),
    (7, "points 0 nothing", True, (True, 0.0)),
    (7, "points .5.", True, None),
    (7, "points -0.5 less\r\n", True, (True, -0.5)),
    (7, "text with points 3", True, None),
    (30, "partially correct (30) so so", True, (True, 30.0)),
    (80, "partially correct (30) so so", True, (True, 30.0)),
    (30, "partially correct (30) so so", False, (False, None)),
    (0, "partially correct (0) nothing", True, (False, None)),
    (3, "partially correct (3)", True, (True, 3.0)),
    (3, "FAIL it says partially correct (3)", True, None),
    (31, "partially correct (30)", True, None),
]


@pytest.mark.parametrize(("code", "stderr", "is_scoring", "word"), WORDS)
def test_exit_codes(code: int, stderr: str, is_scoring: bool, word: tuple[bool, float | None] | None) -> None:
    judgement = judgement_of(code, stderr, is_scoring=is_scoring)
    assert (judgement and (judgement.is_accepted, judgement.score)) == word
    assert judgement is None or judgement.message == stderr


@pytest.mark.parametrize(("code", "stderr", "is_scoring", "word"), WORDS)
@pytest.mark.costly
def test_the_scripts_of_converted_checkers_say_the_same(
    tmp_path: Path, code: int, stderr: str, is_scoring: bool, word: tuple[bool, float | None] | None
) -> None:
    source = f"import sys\nsys.stderr.write({stderr!r})\nsys.exit({code})\n".encode()
    files = checker_files(Program(name="check.py", content=source), gives_points=is_scoring)
    feedback = tmp_path / "feedback"
    feedback.mkdir()
    for name, content in files.items():
        path = tmp_path / PurePosixPath(name).name
        path.write_bytes(content.encode() if isinstance(content, str) else source)
    argv = ["/bin/sh", str(tmp_path / "run"), "/dev/null", "/dev/null", f"{feedback}/"]
    done = subprocess.run(argv, stdin=subprocess.DEVNULL, capture_output=True, check=False)
    assert done.returncode == ({True: 42, False: 43}[word[0]] if word else 1)
    score = feedback / "score.txt"
    assert (float(score.read_text()) if score.exists() else None) == (word[1] if word else None)
    assert (feedback / "judgemessage.txt").read_bytes() == stderr.encode()
