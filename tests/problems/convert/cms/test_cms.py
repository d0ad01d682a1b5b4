"""Tasks of CMS become packages with the same points, or are refused by the name of what cannot be kept."""

import subprocess
from pathlib import Path

import pytest

from problems.convert.cms.cms_checker import find_difference
from problems.format.files import MIB
from problems.loading.loading import load_package
from problems.package import Package
from tests.problems.convert.conftest import Files, Refusals, Stage

TASK = """
name: adder
title: Add them up
time_limit: 1.5
memory_limit: 64
n_input: 4
infile: ''
outfile: ''
primary_language: en
score_mode: max_subtask
public_testcases: "0, 1"
token_mode: disabled
"""
TESTS: dict[str, str | bytes] = {
    f"{place}/{place}{n}.txt": f"{n * 2 if place == 'output' else f'{n} {n}'}\n"
    for n in range(4)
    for place in ("input", "output")
}
CHECKER = "int main() {}\n"
FILES: dict[str, str | bytes] = {
    **TESTS,
    "task.yaml": TASK,
    "check/checker": b"\x7fELF",
    "check/checker.cpp": CHECKER,
    "statement/statement.pdf": b"%PDF-",
    "statement/statement.tex": "x",
    "att/adder.zip": b"PK",
    "gen/generator.py": "x",
    "sol/solution.cpp": "int main() {}\n",
}
GEN = "# samples\n#ST: 0\n1 1\n\n# ST: 30\n2 2  # the second\n#COPY: gen/3.txt\n#ST: 70\n4 4\n"


def put(files: Files, prefix: str = "round/adder/") -> Files:
    return {f"{prefix}{name}": content for name, content in files.items()}


def converted(stage: Stage, files: Files) -> tuple[Package, dict[str, str], tuple[str, ...]]:
    """The package, its text files by name, and the warnings of the conversion."""
    with stage(put(files), "zip.zip") as staged:
        assert staged.origin == "cms"
        texts = {
            path.relative_to(staged.folder).as_posix(): path.read_text()
            for path in staged.folder.rglob("*")
            if path.is_file()
        }
        return load_package(staged.folder), texts, staged.warnings


def without(*names: str) -> dict[str, str | bytes]:
    return {name: content for name, content in FILES.items() if not name.startswith(names)}


def test_task_is_converted(stage: Stage) -> None:
    package, texts, warnings = converted(stage, FILES)
    assert (package.name, package.short_name) == ("Add them up", "adder")
    assert (package.limits.time_limit_ms, package.limits.memory_bytes) == (1_500, 64 * MIB)
    assert [(case.name, texts[f"data/{case.name}.in"]) for case in package.test_cases] == [
        (f"secret/1/0{n + 1}-00{n}", f"{n} {n}\n") for n in range(4)
    ]
    each = {"on_reject: continue", "grader_flags: sum accept_if_any_accepted", "accept_score: 25", "range: 0 100"}
    assert set(texts["data/secret/1/testdata.yaml"].splitlines()) == {*each, "output_validator_flags: '25'"}
    assert "validation: custom score" in texts["problem.yaml"]
    assert texts["output_validators/checker/checker.cpp"] == CHECKER
    assert "g++ -std=gnu++17" in texts["output_validators/checker/build"]
    assert [statement.language for statement in package.statements] == ["en"]
    assert "attachments/adder.zip" in texts
    assert [submission.name for submission in package.submissions] == ["accepted/solution.cpp"]
    assert warnings == ()


def test_old_italian_names_are_read(stage: Stage) -> None:
    task = (
        "nome_breve: somma\nnome: Somma\ntimeout: 2\nmemlimit: 32\nn_input: 4\ninfile:\noutfile: ''\nrisultati: all\n"
    )
    files = {**without("check", "statement"), "cor/correttore.c": CHECKER, "testo/testo.pdf": "%PDF-"}
    package, texts, warnings = converted(stage, {**files, "task.yaml": f"{task}token_gen_time: 3\n"})
    assert (package.name, package.short_name, package.limits.time_limit_ms) == ("Somma", "somma", 2_000)
    assert "gcc -std=gnu11 -O2 -pipe -o checker.bin correttore.c -lm" in texts["output_validators/checker/build"]
    assert [statement.language for statement in package.statements] == ["it"]
    assert warnings == ()


def test_subtasks_of_gen_become_groups(stage: Stage) -> None:
    package, texts, _ = converted(stage, {**FILES, "gen/GEN": GEN})
    assert [case.name for case in package.test_cases] == [
        "secret/1/01-000",
        "secret/2/01-001",
        "secret/2/02-002",
        "secret/3/01-003",
    ]
    assert set(texts["data/secret/2/testdata.yaml"].splitlines()) == {
        "on_reject: break",
        "grader_flags: min",
        "output_validator_flags: '30'",
        "accept_score: 30",
        "range: 0 30",
    }
    assert "range: 0 100" in texts["data/testdata.yaml"]


@pytest.mark.parametrize(
    ("lines", "groups"),
    [
        ("score_type: Sum\nscore_type_parameters: 5", [(5, "0123")]),
        ("score_type: GroupMin\nscore_type_parameters: [[40, 2], [60, 2, Hard]]", [(40, "01"), (60, "23")]),
        ("score_type: GroupMin\nscore_type_parameters: [[40, '00[01]'], [60, '.*']]", [(40, "01"), (60, "0123")]),
        ("score_type: GroupMin\nscore_type_parameters: [[40, ['000', '003']], [60, ['001']]]", [(40, "03"), (60, "1")]),
        (
            "score_type: GroupMin\nscore_type_parameters:\n- {max_score: 40, testcases: 1}\n"
            "- {max_score: 60, testcases: 2, always_show_testcases: true}",
            [(40, "0"), (60, "12")],
        ),
        ("total_value: 10", [(2.5, "0123")]),
    ],
)
def test_score_types_become_groups(stage: Stage, lines: str, groups: list[tuple[float, str]]) -> None:
    package, texts, warnings = converted(stage, {**FILES, "task.yaml": f"{TASK}{lines}\n"})
    assert (package.dialect, package.limits.score_dialect) == (None, "")  # its setter has no testdata.yaml to tell it
    found: dict[str, str] = {}
    for case in package.test_cases:
        folder = case.name.split("/")[1]
        found[folder] = found.get(folder, "") + case.name[-1]
    assert [(points, cases) for points, cases in groups] == [
        (float(texts[f"data/secret/{folder}/testdata.yaml"].split("accept_score: ")[1].split()[0]), cases)
        for folder, cases in found.items()
    ]
    missing = sorted(set("0123") - set("".join(cases for _, cases in groups)))
    assert len(warnings) == bool(missing)
    assert all(f"test cases in no subtask, which are left out: input{missing[0]}.txt" in each for each in warnings)


def test_products_are_taken_where_cases_are_right_or_wrong(stage: Stage, refusals: Refusals) -> None:
    task = f"{TASK}score_type: GroupMul\nscore_type_parameters: [[100, 4]]\n"
    _, texts, _ = converted(stage, {**without("check"), "task.yaml": task})
    assert "grader_flags: min" in texts["data/secret/1/testdata.yaml"]
    assert "validation: custom\n" in texts["problem.yaml"]
    assert "output_validators/cms_checker.py" in texts
    (found,) = refusals(put({**FILES, "task.yaml": task}))
    assert found.startswith("task.yaml: score_type: is GroupMul: with a checker")


def test_points_that_have_no_end_are_cut(stage: Stage) -> None:
    task = TASK.replace("n_input: 4", "n_input: 3")
    files = {**FILES, "task.yaml": task}
    for name in ("input/input3.txt", "output/output3.txt"):
        del files[name]
    package, texts, _ = converted(stage, files)
    assert "accept_score: 33.333333333\n" in texts["data/secret/1/testdata.yaml"]
    assert package.test_cases[0].validator_args == ("33.333333333",)


def test_cases_are_in_the_order_of_their_names(stage: Stage) -> None:
    tests = {f"{place}/{place}{n}.txt": f"{n}\n" for n in range(1_002) for place in ("input", "output")}
    score = "score_type: GroupMin\nscore_type_parameters: [[9, 101], [1, 901]]\n"
    task = f"{TASK.replace('n_input: 4', 'n_input: 1002')}{score}"
    package, _, _ = converted(stage, {**without("input", "output"), **tests, "task.yaml": task})
    first = [case.name[-3:] for case in package.test_cases if case.name.startswith("secret/1/")]
    assert (first[0], first[-1], len(first)) == ("000", "100", 101)
    second = [case.name.split("-")[1] for case in package.test_cases if case.name.startswith("secret/2/")]
    assert second[:3] == ["1000", "1001", "101"]


def test_statements_of_several_languages_are_kept(stage: Stage) -> None:
    pdfs = {f"statement/{name}.pdf": "%PDF-" for name in ("english", "italian", "statement", "notes")}
    package, _, _ = converted(stage, {**FILES, **pdfs})
    assert [statement.language for statement in package.statements] == ["en", "it"]


def test_what_is_missing_or_left_out_is_told(stage: Stage) -> None:
    task = TASK.replace("time_limit: 1.5\nmemory_limit: 64\n", "")
    files = {**without("statement"), "task.yaml": task, "sol/slow.py": "x", "gen/validator.cpp": "x", "notes.txt": "x"}
    _, _, warnings = converted(stage, files)
    assert warnings == (
        "sol: has files that are left out, since CMS does not say what they get: sol/slow.py",
        "task.yaml: time_limit: is missing, which is no limit in CMS: Tally's follows from the solutions",
        "task.yaml: memory_limit: is missing, which is no limit in CMS: Tally's default holds",
        "gen/validator.cpp: is not run: it checks inputs in a way of CMS's own",
        "the archive: has files that are left out: notes.txt",
        "statement: has no PDF: the problem gets no statement",
    )


@pytest.mark.parametrize(
    ("old", "new", "why"),
    [
        ("infile: ''", "infile: input.txt", "infile: is 'input.txt': Tally runs programs with stdin and stdout only"),
        ("infile: ''\n", "", "infile: is missing, which means the file input.txt in CMS"),
        ("outfile: ''\n", "", "outfile: is missing, which means the file output.txt in CMS"),
        ("token_mode", "output_only: true\ntoken_mode", "output_only: is set: contestants send outputs"),
        ("token_mode", "output_only_testcases: '0'\ntoken_mode", "output_only_testcases: has contestants send outputs"),
        ("token_mode", "num_processes: 2\ntoken_mode", "num_processes: belongs to a communication task"),
        ("token_mode", "timelimit: 2\ntoken_mode", "timelimit: is not a key of this format; did you mean time_limit?"),
        ("token_mode", "name: x\ntoken_mode", "name: is given more than once"),
        ("time_limit: 1.5", "time_limit: fast", "time_limit: must be a number"),
        ("memory_limit: 64", "memory_limit: 0", "memory_limit: must be more than 0"),
        ("n_input: 4\n", "", "n_input: is missing"),
        ("primary_language: en", "primary_language: .", "primary_language: must be the code of a language"),
        ("token_mode", "score_type: GroupMin\ntoken_mode", "score_type: counts only together with"),
    ],
)
def test_what_cannot_be_kept_of_task_yaml_is_refused_by_name(refusals: Refusals, old: str, new: str, why: str) -> None:
    found = refusals(put({**FILES, "task.yaml": TASK.replace(old, new)}))
    assert found[0].startswith(f"task.yaml: {why}")
    assert len(found) == 1


@pytest.mark.parametrize(
    ("parameters", "why"),
    [
        ("GroupThreshold\nscore_type_parameters: [[100, 4, 1.0]]", "score_type: is 'GroupThreshold', which Tally's"),
        ("Own\nscore_type_parameters: 3", "score_type: is 'Own', which Tally's points cannot say"),
        ("Sum\nscore_type_parameters: [1]", "score_type_parameters: must have points from 0"),
        ("Sum\nscore_type_parameters: 0", "score_type_parameters: give no points at all"),
        ("GroupMin\nscore_type_parameters: 5", "score_type_parameters: must be a list of subtasks"),
        ("GroupMin\nscore_type_parameters: [[100]]", "score_type_parameters: must hold subtasks like [30, 5]"),
        ("GroupMin\nscore_type_parameters: [[100, 5]]", "score_type_parameters: has 5 test cases in subtasks, of 4"),
        ("GroupMin\nscore_type_parameters: [[100, 0]]", "score_type_parameters: must name test cases in one way"),
        ("GroupMin\nscore_type_parameters: [[50, 1], [50, '.']]", "score_type_parameters: must name test cases in"),
        ("GroupMin\nscore_type_parameters: [[100, ['004']]]", "score_type_parameters: must name test cases in one"),
        ("GroupMin\nscore_type_parameters: [[100, 'x']]", "score_type_parameters: must give every subtask test cases"),
        ("GroupMin\nscore_type_parameters: [[100, '(']]", "score_type_parameters: has no regular expression"),
        (
            "GroupMin\nscore_type_parameters: [[100, '(?:(?:x?){60000}){60000}y']]",
            "score_type_parameters: has a pattern that takes too much time",
        ),
        (
            "GroupMin\nscore_type_parameters: [{max_score: 1, testcases: 4, threshold: 1}]",
            "score_type_parameters: has 'threshold', which is no known key",
        ),
    ],
)
@pytest.mark.costly
def test_wrong_score_types_are_refused_by_name(refusals: Refusals, parameters: str, why: str) -> None:
    (found,) = refusals(put({**FILES, "task.yaml": f"{TASK}score_type: {parameters}\n"}))
    assert found.startswith(f"task.yaml: {why}")


@pytest.mark.parametrize(
    ("gen", "why"),
    [
        (f"{GEN}5 5\n", "task.yaml: n_input: is 4, but gen/GEN has 5 test cases"),
        ("1\n#ST: 100\n2\n3\n4\n", "gen/GEN: line 2: must follow no test case that is in no subtask"),
        ("#ST: many\n1\n2\n3\n4\n", "gen/GEN: line 1: must be points, not 'many'"),
        ("#ST: 100\n1 #ST: 3\n2\n3\n4\n", "gen/GEN: line 2: is a test case and an order"),
        ("#ST: 100\n1\n2\n3\n4\n#ST: 0\n", "gen/GEN: has a subtask without test cases"),
    ],
)
def test_wrong_gen_is_refused_by_name(refusals: Refusals, gen: str, why: str) -> None:
    (found,) = refusals(put({**FILES, "gen/GEN": gen}))
    assert found.startswith(why)


@pytest.mark.parametrize(
    ("file", "why"),
    [
        ("check/manager.cpp", "check/manager.cpp: makes this a communication task"),
        ("cor/manager", "cor/manager: makes this a communication task"),
        ("sol/stub.cpp", "sol/stub.cpp: is a stub, which CMS links submissions with"),
        ("sol/grader.pas", "sol/grader.pas: is a grader, which CMS links submissions with"),
        ("sol/adder.h", "sol/adder.h: is a header, which CMS puts beside submissions"),
        ("sol/adderlib.pas", "sol/adderlib.pas: is a header, which CMS puts beside submissions"),
        ("check/checker.py", "check/checker.cpp: is one of 2 sources of the checker"),
        ("cor/correttore.cpp", "cor: holds a checker, and check/ another one"),
        ("check/old_checker.cpp", "check/old_checker.cpp: looks like a checker, and a task of CMS has no place for it"),
        ("grader.cpp", "grader.cpp: looks like code that submissions are linked with, and a task of CMS has no place"),
        ("testo/testo.pdf", "testo: holds a statement, and statement/ another one"),
        ("input/GEN", "input/GEN: looks like settings"),
    ],
)
def test_files_that_change_how_it_is_judged_are_refused_by_name(refusals: Refusals, file: str, why: str) -> None:
    (found,) = refusals(put({**FILES, file: "x"}))
    assert found.startswith(why)


@pytest.mark.parametrize(
    ("checker", "why"),
    [
        ({"check/checker": b"\x7fELF"}, "check/checker: is a checker without its source: put that beside it"),
        ({"check/checker.pas": "x", "check/checker": b"\x7fELF"}, "check/checker.pas: is a checker in Pascal"),
        ({"check/checker.rs": "x"}, "check/checker.rs: is a checker in rust"),
        ({"check/checker": "#!/bin/sh\n"}, "check/checker: is a checker without its source"),
        ({"check/checker.cpp": '#include "testlib.h"\n'}, "check/testlib.h: is missing: check/checker.cpp includes it"),
    ],
)
def test_checker_that_cannot_be_built_is_refused_by_name(refusals: Refusals, checker: Files, why: str) -> None:
    (found,) = refusals(put({**without("check"), **checker}))
    assert found.startswith(why)


@pytest.mark.parametrize(("line", "file"), [("output_only: true\n", "x.txt"), ("", "check/manager")])
def test_task_of_another_kind_is_refused_for_that_alone(refusals: Refusals, line: str, file: str) -> None:
    task = TASK.replace("infile: ''\noutfile: ''\n", line)
    assert len(refusals(put({**FILES, "task.yaml": task, file: "x"}))) == 1


def test_checker_may_be_a_script_and_lie_twice(stage: Stage) -> None:
    script = "#!/usr/bin/env python3\nprint(1)\n"
    _, texts, warnings = converted(stage, {**without("check"), "check/checker": script, "cor/correttore": script})
    assert texts["output_validators/checker/checker.py"] == script
    assert warnings == ()


def test_headers_of_the_checker_are_compiled_along(stage: Stage) -> None:
    files = {"check/checker.cpp": '#include "testlib.h"\n', "check/testlib.h": "// testlib\n"}
    _, texts, warnings = converted(stage, {**FILES, **files})
    assert texts["output_validators/checker/testlib.h"] == "// testlib\n"
    assert warnings == ()


def test_task_without_its_tests_is_told_in_one_sentence(refusals: Refusals) -> None:
    assert refusals(put(without("input", "output"))) == [
        "input: is missing, with all test cases: make them (cmsMake all) and pack the folder again"
    ]


def test_missing_test_is_named(refusals: Refusals) -> None:
    assert refusals(put(without("output/output2"))) == [
        "output/output2.txt: is missing: there are 4 test cases, from number 0"
    ]


# --- the checkers that packages get


@pytest.mark.parametrize(
    ("said", "code", "result", "score"),
    [
        ("1.0", 0, 42, None),
        (" 1 \\n2", 0, 42, None),
        ("1.0000000001", 0, 42, None),
        ("0.0", 0, 43, None),
        ("0.25", 0, 42, 7.5),
        (".5\\n", 0, 42, 15.0),
        ("1e-1", 0, 42, 3.0),
        ("1.5", 0, 1, None),
        ("-0.5", 0, 1, None),
        ("nan", 0, 1, None),
        ("", 0, 1, None),
        ("right", 0, 1, None),
        ("\\n1.0", 0, 1, None),
        ("1.0", 1, 1, None),
        ("0.0", 3, 1, None),
    ],
)
@pytest.mark.costly
def test_what_checkers_print_is_translated(
    stage: Stage, tmp_path: Path, said: str, code: int, result: int, score: float | None
) -> None:
    source = (
        "import sys\n_, given, answer, output = sys.argv\n"
        "assert open(given).read() == 'in' and open(answer).read() == 'ans' and open(output).read() == 'out'\n"
        f"print('words', file=sys.stderr)\nprint('{said}')\nsys.exit({code})\n"
    )
    feedback = tmp_path / "feedback"
    feedback.mkdir()
    (tmp_path / "given").write_text("in")
    (tmp_path / "answer").write_text("ans")
    with stage(put({**without("check"), "check/checker.py": source})) as staged:
        run = ["/bin/sh", str(staged.folder / "output_validators/checker/run"), str(tmp_path / "given")]
        arguments = [*run, str(tmp_path / "answer"), f"{feedback}/", "30"]
        done = subprocess.run(arguments, input="out", capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout) == (result, "")
    assert (feedback / "judgemessage.txt").read_text() == "words\n"
    assert (float((feedback / "score.txt").read_text()) if (feedback / "score.txt").exists() else None) == score
    assert {path.name for path in feedback.iterdir()} <= {"judgemessage.txt", "score.txt"}
    if result == 1:
        assert f"the checker exited with {code} and gave" in done.stderr


@pytest.mark.parametrize(
    ("output", "answer", "difference"),
    [
        (b"1 2\n3\n", b"1  2 \r\n3", ""),
        (b"1 2\n3\n\n \n", b"1 2\n3\n", ""),
        (b"1 2\n", b"1\n2\n", "line 1: expected '1', got '1 2'"),
        (b"1\n\n2\n", b"1\n2\n", "line 2: expected '2', got ''"),
        (b"A\n", b"a\n", "line 1: expected 'a', got 'A'"),
        (b"1\n", b"1\n2\n", "line 2: expected '2', got the end"),
        (b"1\x1c2\n", b"1 2\n", "line 1: expected '1 2', got '1\\x1c2'"),
        (b"", b"", ""),
    ],
)
def test_lines_are_compared_as_cms_does(tmp_path: Path, output: bytes, answer: bytes, difference: str) -> None:
    (tmp_path / "output").write_bytes(output)
    (tmp_path / "answer").write_bytes(answer)
    with (tmp_path / "output").open("rb") as given, (tmp_path / "answer").open("rb") as wanted:
        assert find_difference(given, wanted) == difference
