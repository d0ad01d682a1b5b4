"""Problems of DMOJ become packages with the same points, or are refused by the name of what cannot be kept."""

import io
import zipfile

import pytest

from problems.loading.loading import load_package
from problems.package import Package
from tests.problems.convert.conftest import Files, Refusals, Stage


def inner(files: dict[str, str]) -> bytes:
    """An archive inside of the archive."""
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as archive:
        for name, text in files.items():
            archive.writestr(name, text)
    return buffer.getvalue()


TESTS = {f"{n}.{kind}": f"{n}{kind}\n" for n in range(1, 6) for kind in ("in", "out")}
LIST = """
archive: tests.zip
test_cases:
- {in: 1.in, out: 1.out, points: 10}
- {in: 2.in, out: 2.out, points: 10}
- points: 30
  batched:
  - {in: 3.in, out: 3.out}
  - {in: 4.in, out: 4.out}
- points: 50
  dependencies: [1]
  batched:
  - {in: 5.in, out: 5.out}
"""


def problem(init: str, tests: dict[str, str] = TESTS) -> Files:
    return {"p/init.yml": init, "p/tests.zip": inner(tests)}


def converted(stage: Stage, files: Files) -> tuple[Package, dict[str, str], tuple[str, ...]]:
    """The package, its text files by name, and the warnings of the conversion."""
    with stage(files, "sums.zip") as staged:
        assert staged.origin == "dmoj"
        texts = {
            path.relative_to(staged.folder).as_posix(): path.read_text()
            for path in staged.folder.rglob("*")
            if path.is_file()
        }
        return load_package(staged.folder), texts, staged.warnings


def test_batches_that_need_very_many_cases_of_others_are_refused(refusals: Refusals) -> None:
    batches = "".join(
        f"- {{points: 1, batched: [{{in: 1.in, out: 1.out}}], dependencies: [{n}]}}\n" for n in range(1, 160)
    )
    (error,) = refusals(
        problem(f"archive: tests.zip\ntest_cases:\n- {{points: 1, batched: [{{in: 1.in, out: 1.out}}]}}\n{batches}")
    )
    assert error == "groups: depend on each other: with the cases of those they need there are over 10,000 more"


def test_points_and_batches_become_groups(stage: Stage) -> None:
    package, texts, _ = converted(stage, problem(LIST))
    assert package.name == "P"
    assert [(case.name, texts[f"data/{case.name}.in"]) for case in package.test_cases] == [
        ("secret/1/01", "1in\n"),
        ("secret/1/02", "2in\n"),
        ("secret/2-batch/01", "3in\n"),
        ("secret/2-batch/02", "4in\n"),
        ("secret/3-batch/01-of-batch-1", "3in\n"),
        ("secret/3-batch/02-of-batch-1", "4in\n"),
        ("secret/3-batch/03", "5in\n"),
    ]
    singles = {"on_reject: continue", "grader_flags: sum accept_if_any_accepted", "accept_score: 10", "range: 0 20"}
    assert set(texts["data/secret/1/testdata.yaml"].splitlines()) == singles
    batch = {"on_reject: break", "grader_flags: min", "accept_score: 30", "range: 0 30"}
    assert set(texts["data/secret/2-batch/testdata.yaml"].splitlines()) == batch
    assert "range: 0 100" in texts["data/testdata.yaml"]
    assert "type: scoring" in texts["problem.yaml"]


def test_pretests_end_the_judging(stage: Stage) -> None:
    init = "archive: tests.zip\ntest_cases:\n- {in: 1.in, out: 1.out, points: 0}\n- {in: 2.in, out: 2.out, points: 5}\n"
    package, texts, _ = converted(stage, problem(init))
    assert [case.name for case in package.test_cases] == ["secret/1-pretests/01", "secret/2-tests/1/01"]
    assert "on_reject: break" in texts["data/secret/testdata.yaml"]
    assert "accept_score: 0\n" in texts["data/secret/1-pretests/testdata.yaml"]


def test_cases_without_points_are_pass_fail(stage: Stage) -> None:
    init = "archive: tests.zip\ntest_cases:\n- {in: 2.in, out: 2.out}\n- {in: 1.in, out: 1.out}\n"
    package, texts, _ = converted(stage, problem(init))
    assert [texts[f"data/{case.name}.in"] for case in package.test_cases] == ["2in\n", "1in\n"]
    assert "type" not in texts["problem.yaml"]


@pytest.mark.parametrize("init", ["archive: tests.zip\n", "archive: tests.zip\ntest_cases: {}\n"])
def test_cases_are_found_by_the_usual_names(stage: Stage, init: str) -> None:
    tests = {f"{name}.{kind}": f"{name}\n" for name in ("a.1", "a.2-1", "a.2-2", "a.10") for kind in ("in", "out")}
    package, texts, _ = converted(stage, problem(init, tests))
    found = [(case.name.split("/")[1], texts[f"data/{case.name}.in"]) for case in package.test_cases]
    assert found == [("1", "a.1\n"), ("2-batch", "a.2-1\n"), ("2-batch", "a.2-2\n"), ("3", "a.10\n")]


def test_cases_are_found_by_patterns(stage: Stage) -> None:
    init = (
        "archive: tests.zip\ntest_cases:\n  input_format: 'in/(?P<case>\\d+)'\n  output_format: 'out/(?P<case>\\d+)'\n"
        "  case_points: [40, 60]\n"
    )
    tests = {"in/2": "b\n", "out/2": "b\n", "in/11": "c\n", "out/11": "c\n", "notes": "x"}
    package, texts, _ = converted(stage, problem(init, tests))
    assert [texts[f"data/{case.name}.in"] for case in package.test_cases] == ["b\n", "c\n"]
    assert "accept_score: 60" in texts["data/secret/2/testdata.yaml"]


@pytest.mark.parametrize(
    ("pattern", "why"),
    [
        ("(a", "is no regular expression"),
        (".*(?P<batch>1)", "must have a group (?P<case>...)"),
        ("(.*)*(.*)*(.*)*(.*)*(.*)*(.*)*(.*)*[^x]$(?P<case>y)", "is a pattern that takes too much time or memory"),
        ("x" * 2_000, "has more than 1000 characters"),
    ],
)
def test_bad_pattern_is_refused_in_time(refusals: Refusals, pattern: str, why: str) -> None:
    init = f"archive: tests.zip\ntest_cases: {{input_format: '{pattern}'}}\n"
    (found,) = refusals(problem(init, {"a" * 100 + "1": "x"}))[:1]
    assert found.startswith("init.yml: test_cases.input_format: ")
    assert why in found


def test_files_may_lie_beside_init_yml_and_lines_end_plainly(stage: Stage) -> None:
    init = "test_cases:\n- {in: ./a\\in.txt, out: b.txt, points: 1}\n"
    package, texts, _ = converted(stage, {"init.yml": init, "a/in.txt": "1\r\n2\r3", "b.txt": "x\n"})
    case = package.test_cases[0]
    assert texts[f"data/{case.name}.ans"] == "x\n"
    with stage({"init.yml": init, "a/in.txt": "1\r\n2\r3", "b.txt": "x\n"}) as staged:
        assert load_package(staged.folder).test_cases[0].input.read_bytes() == b"1\n2\n3\n"
    with stage({"init.yml": f"binary_data: true\n{init}", "a/in.txt": "1\r\n2\r3", "b.txt": "x\n"}) as staged:
        assert load_package(staged.folder).test_cases[0].input.read_bytes() == b"1\r\n2\r3"


def test_statement_and_what_is_left_over_are_told(stage: Stage) -> None:
    files = {**problem(LIST), "p/problem.md": "# Some sums\n", "p/gen.cpp": "x"}
    package, _, warnings = converted(stage, files)
    assert package.name == "Some sums"
    assert warnings == ("the archive: has files that are left out: gen.cpp",)


CASES = "archive: tests.zip\ntest_cases:\n- {in: 1.in, out: 1.out, points: 5}\n"


@pytest.mark.parametrize(
    ("checker", "flags"),
    [
        ("identical", ("case_sensitive", "space_change_sensitive")),
        ("floats", ("case_sensitive", "float_tolerance", "1e-6")),
        ("{name: floats, args: {precision: 3}}", ("case_sensitive", "float_tolerance", "1e-3")),
        ("{name: floatsabs, args: {precision: 4}}", ("case_sensitive", "float_absolute_tolerance", "1e-4")),
        ("floatsrel", ("case_sensitive", "float_relative_tolerance", "1e-6")),
        ("{name: floats, args: {error_mode: relative}}", ("case_sensitive", "float_relative_tolerance", "1e-6")),
    ],
)
def test_checker_becomes_flags(stage: Stage, checker: str, flags: tuple[str, ...]) -> None:
    package, _, _ = converted(stage, problem(f"{CASES}checker: {checker}\n"))
    assert package.test_cases[0].validator_args == flags
    assert package.output_validator is None


@pytest.mark.parametrize(
    ("line", "flags"),
    [
        ("", ("standard",)),
        ("checker: standard", ("standard",)),
        ("checker: easy", ("easy",)),
        ("checker: sorted", ("sorted",)),
        ("checker: {name: sorted, args: {split_on: whitespace}}", ("unordered",)),
        ("checker: {name: rstripped, args: {filter_new_line: true}}", ("rstripped-full-lines",)),
    ],
)
def test_checker_becomes_a_program(stage: Stage, line: str, flags: tuple[str, ...]) -> None:
    package, _, _ = converted(stage, problem(f"{CASES}{line}\n"))
    assert package.output_validator is not None
    assert package.output_validator.entry == "dmoj_checker.py"
    assert package.test_cases[0].validator_args == flags


def test_linecount_is_told_what_a_case_is_worth(stage: Stage) -> None:
    package, texts, _ = converted(stage, problem(f"{CASES}checker: linecount\n"))
    assert package.test_cases[0].validator_args == ("linecount", "5")
    assert "validation: custom score\n" in texts["problem.yaml"]


BRIDGED = "checker: {name: bridged, args: {files: [check.cpp, testlib.h], lang: CPP20, type: testlib}}\n"


def test_testlib_checker_becomes_a_program_with_scripts(stage: Stage) -> None:
    files = {**problem(CASES + BRIDGED), "p/check.cpp": '#include "testlib.h"\n', "p/testlib.h": "//\n"}
    package, texts, _ = converted(stage, files)
    assert package.output_validator is not None
    assert package.output_validator.language == "script"
    assert "g++ -std=c++20 -O2 -pipe -o checker.bin check.cpp" in texts["output_validators/checker/build"]
    assert texts["output_validators/checker/testlib.h"] == "//\n"


def test_interactor_becomes_a_program_with_scripts(stage: Stage) -> None:
    init = f"{CASES}unbuffered: true\ninteractive: {{files: talk.cpp, type: testlib}}\n"
    package, texts, warnings = converted(stage, {**problem(init), "p/talk.cpp": "int main() {}\n"})
    assert package.is_interactive
    assert "interactor.bin" in texts["output_validators/interactor/run"]
    assert any("unbuffered" in warning for warning in warnings)


@pytest.mark.parametrize(
    ("lines", "why"),
    [
        ("generator: gen.cpp", "generator: makes the tests with a program"),
        ("custom_judge: x.py", "custom_judge: is a Python program"),
        ("signature_grader: {entry: x.cpp}", "signature_grader: links submissions"),
        ("points++: x", "points++: is Python that DMOJ would run"),
        ("checker: check.py", "checker: check.py is not beside init.yml"),
        ("checker: linematches", "checker: linematches is none of the checkers"),
        ("checker: {name: floats, args: {precision: -1}}", "checker.args.precision: must be a whole number"),
        (
            "checker: {name: bridged, args: {files: c.py, lang: PY2}}",
            "checker.args.files: must name one program in C++",
        ),
        ("checker: {name: bridged, args: {files: c.cpp, type: ioi}}", "checker.args.type: 'ioi' is none that"),
        ("checker: {name: bridged, args: {files: c.cpp, flags: [-DX]}}", "checker.args.flags: is not supported"),
        ("checker: {name: bridged, args: {files: c.cpp, in_percent: true}}", "checker.args.files: testlib.h is"),
        ("interactive: {files: c.cpp, type: coci}", "interactive.type: 'coci' is none that"),
        ("interactive: {files: c.py, lang: PY3, command: x}", "interactive.command: is not a key of this format"),
        ("difficulty: 3", "difficulty: is not a key of this format"),
        ("symlinks: {a.txt: b.txt}", "symlinks: puts files beside the programs"),
        ("checker: {name: bridged, args: {files: no.cpp}}", "checker.args.files: no.cpp is not beside init.yml"),
        ("checker: {name: bridged, args: {files: c.cpp}}", "checker.args.files: testlib.h is included but not"),
        ("points: -1", "points: must be a number"),
    ],
)
def test_what_cannot_be_kept_is_refused_by_name(refusals: Refusals, lines: str, why: str) -> None:
    found = refusals({**problem(f"{CASES}{lines}\n"), "p/c.cpp": '#include "testlib.h"\n', "p/c.py": "x"})
    assert found[0].startswith(f"init.yml: {why}")


@pytest.mark.parametrize(
    ("cases", "why"),
    [
        ("- {in: 7.in, out: 1.out, points: 1}", "test_cases[0].in: 7.in is neither beside init.yml nor in the archive"),
        ("- {in++: x, out: 1.out, points: 1}", "test_cases[0].in++: is Python"),
        ("- {in: 1.in, out: 1.out, points: many}", "test_cases[0].points: must be a number"),
        ("- {in: 1.in, out: 1.out, points: 1, checker: easy}", "test_cases[0].checker: cannot be given for one case"),
        ("- {batched: [], points: 1}", "test_cases[0]: is a batch without cases"),
        ("- {batched: [{in: 1.in}], points: 1, dependencies: [1]}", "test_cases[0].dependencies: must be numbers"),
        ("- {in: 1.in, out: 1.out, points: 0}", "test_cases: has no case that is worth points"),
        ("- {in: 1.in, out: 1.out, output_limit_length: 9}", "test_cases[0].output_limit_length: cannot be given"),
        ("- {in: 1.in, out: 1.out, outs: x}", "test_cases[0].outs: is not a key of this format; did you mean out?"),
        ("- 7", "test_cases[0]: must hold keys and values"),
        ("[]", "test_cases: has no case"),
    ],
)
def test_wrong_case_is_named(refusals: Refusals, cases: str, why: str) -> None:
    found = refusals(problem(f"archive: tests.zip\ntest_cases:\n {cases}\n"))
    assert found[0].startswith(f"init.yml: {why}")


def test_input_without_output_is_named(refusals: Refusals) -> None:
    assert refusals(problem("archive: tests.zip", {"1.in": "1", "1.out": "1", "2.in": "2"})) == [
        "2.in: belongs to a case of init.yml that has no output"
    ]


def test_inner_archive_is_held_to_the_same_rules(refusals: Refusals) -> None:
    found = refusals(problem(LIST, {"../x": "1", "a": "1", "A": "2"}))
    assert found == [
        "tests.zip/../x: leads out of the package (..)",
        "tests.zip/A: differs only in upper and lower case or accents from a",
    ]


@pytest.mark.thorough
def test_hundreds_of_cases_are_read(stage: Stage) -> None:
    cases = "".join(f"- {{in: {n}.in, out: {n}.out, points: 1}}\n" for n in range(900))
    tests = {f"{n}.{kind}": f"{n}\n" for n in range(900) for kind in ("in", "out")}
    package, _, _ = converted(stage, problem(f"archive: tests.zip\ntest_cases:\n{cases}", tests))
    assert len(package.test_cases) == 900


def test_case_may_be_all_empty(stage: Stage) -> None:
    package, texts, warnings = converted(stage, problem("archive: tests.zip\ntest_cases:\n- {points: 1}\n", {}))
    assert texts[f"data/{package.test_cases[0].name}.in"] == ""
    assert warnings == ("init.yml: test_cases[0].in: is missing, and so is out: both are taken as empty",)


def test_files_of_the_archive_that_nothing_asks_for_are_named(stage: Stage) -> None:
    tests = {"1.in": "1", "1.out": "1", "checker.cpp": "x"}
    _, _, warnings = converted(stage, problem(f"{CASES}validator: {{files: v.cpp}}\n", tests))
    assert warnings == (
        "init.yml: validator: is not run: it checks inputs in a way of DMOJ's own",
        "the archive: has files that are left out: tests.zip/checker.cpp",
    )


def test_archive_that_is_not_there_is_told(stage: Stage) -> None:
    _, _, warnings = converted(stage, {"init.yml": CASES, "1.in": "1\n", "1.out": "1\n"})
    assert warnings == ("init.yml: archive: tests.zip is not here: its files are looked for beside init.yml",)
