"""A zip of tests and nothing else becomes a package, whatever the tests are called."""

import pytest

from problems.archive import upload
from problems.convert.detection import PLAIN
from problems.convert.native import NativeProblem
from problems.convert.pairs import Pair, pair_up, stem_of
from problems.loading.lint import lint
from problems.loading.loading import load_package
from problems.package import Package
from tests.problems.convert.conftest import Files, Refusals, Stage


def converted(stage: Stage, files: Files, name: str = "sums.zip") -> Package:
    with stage(files, name) as staged:
        assert staged.origin == "plain"
        return load_package(staged.folder)


@pytest.mark.parametrize(
    ("given", "answer", "stem"),
    [
        ("1.in", "1.out", "1"),
        ("1.in", "1.ans", "1"),
        ("1.in", "1.a", "1"),
        ("1.IN", "1.OUT", "1"),
        ("01", "01.a", "01"),
        ("01.txt", "01.ans", "01"),
        ("input01.txt", "output01.txt", "01"),
        ("input/01.txt", "output/01.txt", "01"),
        ("in/1.in", "out/1.out", "1"),
        ("in/1.in", "out/1.ans", "1"),
        ("sum.in.1", "sum.out.1", "sum-1"),
        ("sum.1.in.txt", "sum.1.out.txt", "sum.1"),
        ("test_3_input.txt", "test_3_output.txt", "test_3"),
        ("in1.txt", "out1.txt", "1"),
        ("a/b c/7.in", "a/b c/7.ans", "a/b c/7"),
        ("in", "out", ""),
    ],
)
def test_files_that_belong_together_are_found(given: str, answer: str, stem: str) -> None:
    pairing = pair_up([given, answer, "notes.txt", "main.cpp", "in.cpp"])
    assert [(pair.input, pair.output) for pair in pairing.pairs] == [(given, answer)]
    assert stem_of(pairing.pairs[0]) == stem
    assert not pairing.lonely + pairing.spare + pairing.doubled


def test_words_that_only_contain_in_or_out_say_nothing() -> None:
    assert not pair_up(["main.txt", "input_format.txt", "without.txt", "routine1.txt", "a", "b.a.txt"]).pairs
    assert pair_up(["input_format.txt", "explain.txt"]).lonely == ()


@pytest.mark.parametrize("top", ["", "sums/", "a/sums/tests/", "sums\\", "samples/"])
def test_pairs_in_any_folder_become_a_package(stage: Stage, top: str) -> None:
    files = {f"{top}{number}.{kind}": f"{number} {kind}\n" for number in (1, 2, 10) for kind in ("in", "out")}
    with stage(files) as staged:
        package = load_package(staged.folder)
        assert [case.name for case in package.test_cases] == ["secret/01", "secret/02", "secret/10"]
        assert [case.answer.read_text() for case in package.test_cases] == ["1 out\n", "2 out\n", "10 out\n"]
        assert package.name == "Sums"
        assert package.short_name == "sums"
        assert not (staged.folder / ".timelimit").exists()


def test_what_macs_and_windows_leave_behind_is_ignored(stage: Stage) -> None:
    files = {
        "t\\1.in": "1",
        "t\\1.out": "1",
        "__MACOSX/t/._1.in": "x",
        "t\\.DS_Store": "x",
        "__MACOSX/._1.out": "x",
        "Thumbs.db": "x",
    }
    with stage(files) as staged:
        assert [case.name for case in load_package(staged.folder).test_cases] == ["secret/1"]
        assert staged.warnings == ()


def test_samples_are_told_by_their_names(stage: Stage) -> None:
    files = {
        "p/samples/2.in": "2",
        "p/samples/2.ans": "2",
        "p/tests/example1.in": "1",
        "p/tests/example1.ans": "1",
        "p/tests/1.in": "1",
        "p/tests/1.ans": "1",
    }
    names = [case.name for case in converted(stage, files).test_cases]
    assert names == ["sample/2", "sample/example1", "secret/1"]


def test_tests_may_lie_where_packages_have_theirs(stage: Stage) -> None:
    files = {f"data/{folder}/1.{kind}": "x" for folder in ("sample", "secret") for kind in ("in", "ans")}
    assert [case.name for case in converted(stage, files).test_cases] == ["sample/1", "secret/1"]


def test_tests_of_several_folders_keep_their_order(stage: Stage) -> None:
    folders = ("small", "large")
    files = {f"{folder}/{number}.{kind}": "x" for folder in folders for number in (2, 11) for kind in ("in", "a")}
    names = [case.name for case in converted(stage, files).test_cases]
    assert names == ["secret/large-02", "secret/large-11", "secret/small-02", "secret/small-11"]


def test_names_that_would_clash_or_sort_wrongly_get_numbers(stage: Stage) -> None:
    names = ["1", "01", "seed-123456789", "b"]
    files = {f"{name}.{kind}": name for name in names for kind in ("in", "out")}
    with stage(files) as staged:
        found = {case.name: case.input.read_text() for case in load_package(staged.folder).test_cases}
    assert len(found) == 4
    assert sorted(found) == list(found)
    assert sorted(found.values()) == sorted(names)


def test_input_without_output_is_named(refusals: Refusals) -> None:
    found = refusals({"t/1.in": "1", "t/1.out": "1", "t/2.in": "2", "t/input3.txt": "3"})
    assert [error.split(":")[0] for error in found] == ["2.in", "input3.txt"]
    assert all("is an input without an output" in error for error in found)


def test_lone_input_is_named(refusals: Refusals) -> None:
    assert refusals({"1.in": "1"}) == ["1.in: is an input without an output (looked for 1.out, 1.ans and such)"]


def test_two_outputs_for_one_input_are_named(refusals: Refusals) -> None:
    found = refusals({"1.in": "1", "1.out": "1", "1.ans": "2"})
    assert found == ["1.out: stands for the same test as 1.ans: only one of them can count"]


def test_what_has_no_place_is_told(stage: Stage) -> None:
    with stage({"1.in": "1", "1.out": "1", "7.out": "7", "main.cpp": "x", "gen.py": "x"}) as staged:
        assert staged.warnings == (
            "7.out: is left out: it is an output without an input",
            "the archive: has files that are left out: gen.py, main.cpp",
        )


@pytest.mark.parametrize(
    ("file", "what"),
    [
        ("checker.cpp", "a checker"),
        ("check/checker", "a checker"),
        ("cor/correttore.cpp", "a checker"),
        ("outputChecker.py", "a checker"),
        ("spj.cc", "a checker"),
        ("checker/main.py", "a checker"),
        ("manager.cpp", "a program that submissions talk to"),
        ("interactor", "a program that submissions talk to"),
        ("sol/grader.py", "code that submissions are linked with"),
        ("sol/stub.c", "code that submissions are linked with"),
        ("output_validator.py", "a validator"),
        ("files/testlib.h", "a header that programs include"),
        ("sum.h", "a header that programs include"),
        ("config.yml", "settings (limits, points, a checker)"),
        ("sum.yaml", "settings (limits, points, a checker)"),
        ("data/problem.conf", "settings (limits, points, a checker)"),
        ("gen/GEN", "settings (limits, points, a checker)"),
    ],
)
def test_what_could_change_verdicts_is_refused_by_name(refusals: Refusals, file: str, what: str) -> None:
    assert refusals({"tests/1.in": "1", "tests/1.out": "1", file: "x"}) == [
        f"{file}: looks like {what}, and a zip of tests has no place for it: if verdicts do not depend on it, "
        "take it out; else upload a package in the ICPC/Kattis format"
    ]


@pytest.mark.parametrize("file", ["checkers.txt", "grader.pdf", "README", "stub/Makefile", "gen.cpp", "sol/main.py"])
def test_what_changes_no_verdict_is_named_in_a_warning(stage: Stage, file: str) -> None:
    with stage({"tests/1.in": "1", "tests/1.out": "1", file: "x"}) as staged:
        assert staged.warnings == (f"the archive: has files that are left out: {file}",)


def task(name: str) -> Files:
    return {f"{name}/input/input0.txt": "1\n", f"{name}/output/output0.txt": "1\n"}


def test_contest_of_cms_is_refused_with_its_tasks(refusals: Refusals) -> None:
    names = ["coins", "dots", "easy", "fibo", "gems", "hats", "icy", "jump", "kings"]
    files: dict[str, str | bytes] = {"round/contest.yaml": "tasks: [coins]\n"}
    for name in names:
        files |= {f"round/{file}": text for file, text in task(name).items()}
    files |= {"round/coins/task.yaml": "name: coins\n", "round/dots.yaml": "name: dots\n"}
    assert refusals(files) == [
        "round/contest.yaml: is a contest of CMS, and an upload makes one problem: pack the folder of each task with "
        "its task.yaml by itself (found 9: coins, dots, easy, fibo, gems, hats, icy, jump, kings)"
    ]


def test_tasks_of_cms_without_a_contest_are_refused_with_their_names(refusals: Refusals) -> None:
    files = {f"{name}/task.yaml": f"name: {name}\n" for name in ("coins", "dots")}
    (found,) = refusals({**files, **task("coins"), **task("dots")})
    assert found == "sums.zip: has no task.yaml at its top, but in coins, dots: pack that folder alone"


def test_task_of_tps_is_refused_by_name(refusals: Refusals) -> None:
    (found,) = refusals({"sum/problem.json": "{}", "sum/tests/1-01.in": "1", "sum/tests/1-01.out": "1"})
    assert found.startswith("sum/problem.json: is of the format TPS, which Tally does not read")


def test_windows_line_ends_are_told(stage: Stage) -> None:
    with stage({"t/1.in": "1\r\n", "t/1.out": "1", "t/2.in": "2\n", "t/2.out": "2\n"}) as staged:
        package = load_package(staged.folder)
        warnings = [warning.with_values(package.original) for warning in lint(package)]
    assert any(warning.startswith("1.in: has lines that end in CR LF, as on Windows") for warning in warnings)


@pytest.mark.parametrize(
    ("file", "text", "title", "format_"),
    [
        ("statement.md", "# Sums of *two*\n\nAdd ![](tree.png).\n", "Sums of *two*", "markdown"),
        ("problem.tex", "\\problemname{Two \\& two}\nAdd.\n", "Two & two", "latex"),
        ("Problem.de.md", "Addiere.\n", "Adder", "markdown"),
        ("docs/statement.pdf", "%PDF-", "Adder", "pdf"),
    ],
)
def test_statement_is_taken_with_its_pictures(stage: Stage, file: str, text: str, title: str, format_: str) -> None:
    files = {"tests/1.in": "1", "tests/1.out": "1", file: text, "tree.png": "png"}
    with stage(files, "adder.zip") as staged:
        package = load_package(staged.folder)
        assert package.name == title
        language = "de" if ".de." in file else "en"
        name = f"problem.{language}.{ {'markdown': 'md', 'latex': 'tex', 'pdf': 'pdf'}[format_] }"
        assert (staged.folder / "problem_statement" / name).read_text() == text
        assert (staged.folder / "problem_statement/tree.png").exists() is ("/" not in file)


_BOTH = "would be a file and a folder of the package at once: rename one of them"


@pytest.mark.parametrize(
    ("names", "why"),
    [
        (("a", "a/b"), f"attachments/a/b: {_BOTH}"),
        (("a/b", "a"), f"attachments/a: {_BOTH}"),
        (("../a",), "attachments/../a: is no name of a file in a package"),
    ],
)
def test_what_has_no_place_in_a_package_is_refused(
    names: tuple[str, ...], why: str, refusals: Refusals, monkeypatch: pytest.MonkeyPatch
) -> None:
    problem = NativeProblem(title="Odd", attachments=dict.fromkeys(names, "x"))
    monkeypatch.setitem(upload.READERS, PLAIN, lambda source: problem)
    assert refusals({"1.in": "1", "1.out": "1"}) == [why]


def test_unknown_archive_is_told_what_is_taken(refusals: Refusals) -> None:
    (found,) = refusals({"main.cpp": "x", "notes.txt": "x"})
    assert found.startswith("sums.zip: is no problem that Tally can read: it takes")
    assert all(word in found for word in ("problem.yaml", "problem.xml", "init.yml", "task.yaml", "1.in and 1.out"))


@pytest.mark.parametrize(
    "file",
    ["problem_statement/problem.tex", "data/secret/testdata.yaml", "output_validators/v.py", "domjudge-problem.ini"],
)
def test_package_that_lost_its_yaml_is_not_taken_for_plain_tests(refusals: Refusals, file: str) -> None:
    found = refusals({"p/x/1.in": "1", "p/x/1.ans": "1", f"p/{file}": "x"})
    assert found == ["problem.yaml: is missing: it must lie at the top of the package"]


def test_package_with_a_misspelt_yaml_is_not_taken_for_plain_tests(refusals: Refusals) -> None:
    found = refusals({"p/problem.yml": "name: x", "p/data/secret/1.in": "1", "p/data/secret/1.ans": "1"})
    hint = "there is problem.yml: did you mean problem.yaml?"
    assert found == [f"problem.yaml: is missing: it must lie at the top of the package; {hint}"]


def test_pair_knows_whether_it_is_a_sample() -> None:
    assert Pair(input="a/Sample_1.in", output="x", key="x").is_sample
    assert not Pair(input="a/1.in", output="x", key="x").is_sample
