"""What compilers and failing programs say, linked to the lines of the source."""

import pytest
from django.utils.translation import override

from judge.grading.compile_problem import CompileProblem, CompileStop
from judge.models import Submission
from problems.models import ProblemVersion
from web.presentation.sources import Mistake, compile_diagnosis, linked_errors

SOURCE = b"\n" * 30
GPP = """main.cpp: In function 'int main()':
main.cpp:7:5: error: expected initializer before 'cin'
    7 |     cin >> n;
main.cpp:3:1: warning: unused
main.cpp:8:24: error: 'n' was not declared in this scope
"""
RUSTC = """error[E0425]: cannot find value `totl` in this scope
 --> main.rs:8:20
  |
error[E0277]: a value of type `i64` cannot be made
 --> main.rs:7:37
  ::: /usr/src/library/main.rs.d/main.rs.rs:72:8
error: aborting due to 2 previous errors
"""
CPYTHON = """File "main.py", line 5
    for line in sys.stdin
                         ^
SyntaxError: expected ':'
"""
TRACEBACK = """noise
Traceback (most recent call last):
  File "/program/main.py", line 15, in <module>
    main()
  File "/program/main.py", line 12, in main
    print(int("x"))
  File "/usr/lib/python3.11/json/main.py", line 9, in x
ValueError: invalid literal for int() with base 10: '<x>'
"""


def sent(language: str, file_name: str = "", **submitted: str) -> Submission:
    """A submission that is in no database. `submitted`: what its problem says of the file."""
    version = ProblemVersion(submitted={language: submitted} if submitted else {})
    return Submission(language=language, source=SOURCE, file_name=file_name, problem_version=version)


def said(mistakes: tuple[Mistake, ...]) -> list[tuple[int, str]]:
    return [(each.line, str(each.message)) for each in mistakes]


@pytest.mark.parametrize(
    ("language", "message", "mistakes"),
    [
        (
            "cpp",
            GPP,
            [
                (7, "expected initializer before &#x27;cin&#x27;"),
                (8, "&#x27;n&#x27; was not declared in this scope"),
            ],
        ),
        ("rust", RUSTC, [(8, "cannot find value `totl` in this scope"), (7, "a value of type `i64` cannot be made")]),
        ("python", CPYTHON, [(5, "SyntaxError: expected &#x27;:&#x27;")]),
    ],
)
def test_each_error_of_a_compiler_names_its_line(language: str, message: str, mistakes: list[tuple[int, str]]) -> None:
    diagnosis = compile_diagnosis(message, sent(language))
    assert said(diagnosis.mistakes) == mistakes
    assert diagnosis.lines == {line for line, _ in mistakes}
    assert all(f'<a href="#L{line}">' in diagnosis.html for line, _ in mistakes)


def test_all_own_places_of_a_traceback_are_linked_and_no_other() -> None:
    html = linked_errors(TRACEBACK, sent("python"))
    assert html.count('<a href="#L15">') == html.count('<a href="#L12">') == 1
    assert html.count("<a ") == 2


@pytest.mark.parametrize(
    ("language", "file_name", "submitted"),
    [
        ("cpp", "letter-2.cpp", {}),
        ("cpp", "", {"usual": "letter-2.cpp"}),
        ("rust", "anything.rs", {"name": "letter-2.rs"}),
        ("python", "letter-2.py", {}),
    ],
)
def test_places_are_named_by_the_files_own_name(language: str, file_name: str, submitted: dict[str, str]) -> None:
    message = {"cpp": GPP, "rust": RUSTC, "python": CPYTHON}[language].replace("main.", "letter-2.")
    other = message.replace("letter-2.", "xletter-2.") + message.replace("letter-2.", "letter_2.")
    own, nobodys = (compile_diagnosis(text, sent(language, file_name, **submitted)) for text in (message, other))
    assert own.lines
    assert all(f'<a href="#L{line}">' in own.html for line in own.lines)
    assert "<a " not in nobodys.html


def test_a_line_that_the_source_does_not_have_is_not_linked() -> None:
    diagnosis = compile_diagnosis("main.cpp:900:1: error: x\n", sent("cpp"))
    assert "<a " not in diagnosis.html
    assert diagnosis.lines == frozenset()


def test_a_language_that_this_version_does_not_know_has_its_text() -> None:
    diagnosis = compile_diagnosis("main.cob:1: <b>", sent("cobol"))
    assert (diagnosis.html, diagnosis.mistakes) == ("main.cob:1: &lt;b&gt;", ())


@pytest.mark.parametrize(
    "text", ["main.cpp:" * 7_000, "\n" * 64_000, "error: \n --> " * 5_000, ' File "main.py", line 1\n' * 2_500]
)
def test_messages_made_to_stall_the_patterns_do_not(text: str) -> None:
    for language in ("cpp", "rust", "python"):
        assert compile_diagnosis(text, sent(language)).html
        assert linked_errors(text[:4_096], sent(language))


def test_what_the_compiler_does_not_say_stands_above_its_words_in_the_readers_language() -> None:
    problem = CompileProblem(code=CompileStop.CPU_TIME, limit=10_000)
    with override("en"):
        english = compile_diagnosis(GPP, sent("cpp"), problem)
    assert english.html.startswith("The compiler was stopped: it used more than 10 s of CPU time.\nmain.cpp: In")
    assert english.mistakes == compile_diagnosis(GPP, sent("cpp")).mistakes
    with override("ko"):
        assert (
            compile_diagnosis("", sent("cpp"), problem).html == "컴파일러가 CPU 시간을 10 s 넘게 써서 중단되었습니다."
        )
