"""Packages of Polygon become packages of ours, or are refused by the name of what cannot be kept."""

import filecmp
import subprocess
from pathlib import Path

import pytest

from problems.format.files import MIB
from problems.loading.loading import load_package
from problems.package import Package
from tests.problems.convert.conftest import Files, Refusals, Stage

HEAD = """<?xml version="1.0" encoding="utf-8" standalone="no"?>
<problem revision="3" short-name="sum-it" url="https://polygon.example/p">
<names><name language="russian" value="Сумма"/><name language="english" value="Sum it"/></names>
<judging input-file="" output-file="">
<testset name="tests"><time-limit>1500</time-limit><memory-limit>268435456</memory-limit>
<input-path-pattern>tests/%02d</input-path-pattern><answer-path-pattern>tests/%02d.a</answer-path-pattern>
"""
TESTS = """<tests><test method="manual" sample="true" description="small"/><test method="generated"/><test/></tests>"""
JUDGED = "</testset></judging>"
CHECKER = '<checker type="testlib"><source path="files/check.cpp" type="cpp.g++20"/></checker>'
ASSETS = f"<assets>{CHECKER}</assets></problem>"
GOOD = HEAD + TESTS + JUDGED + ASSETS
FILES = {
    "tests/01": "1 2\n",
    "tests/01.a": "3\n",
    "tests/02": "2 2\n",
    "tests/02.a": "4\n",
    "tests/03": "3 2\n",
    "tests/03.a": "5\n",
    "files/check.cpp": '#include "testlib.h"\nint main() {}\n',
    "files/testlib.h": "// testlib\n",
    "files/gen.cpp": "x",
}


def converted(stage: Stage, files: Files) -> tuple[Package, dict[str, str], tuple[str, ...]]:
    """The package, its files as text, and the warnings of the conversion."""
    with stage(files, "sum-it-3$linux.zip") as staged:
        assert staged.origin == "polygon"
        texts = {
            path.relative_to(staged.folder).as_posix(): path.read_text()
            for path in staged.folder.rglob("*")
            if path.is_file()
        }
        return load_package(staged.folder), texts, staged.warnings


def test_small_package_is_converted(stage: Stage) -> None:
    package, texts, warnings = converted(stage, {**FILES, "problem.xml": GOOD})
    assert (package.name, package.short_name) == ("Sum it", "sum-it")
    assert [case.name for case in package.test_cases] == ["sample/01", "secret/02", "secret/03"]
    assert package.limits.time_limit_ms == 1_500
    assert package.limits.memory_bytes == 256 * MIB
    assert package.output_validator is not None
    assert package.output_validator.language == "script"
    assert "g++ -std=c++20 -O2 -pipe -o checker.bin check.cpp" in texts["output_validators/checker/build"]
    assert texts["output_validators/checker/testlib.h"] == "// testlib\n"
    assert texts["data/sample/01.desc"] == "small\n"
    assert "groups" not in texts["problem.yaml"]
    assert warnings == ()


def test_package_may_lie_in_a_folder_and_be_packed_on_windows(stage: Stage) -> None:
    files = {f"sum\\{name}".replace("/", "\\"): text for name, text in {**FILES, "problem.xml": GOOD}.items()}
    package, _, _ = converted(stage, files)
    assert len(package.test_cases) == 3


STANDARD = (
    "problem.xml: this is a standard package, which has no test data: in Polygon choose Full, and upload that package"
)


def test_package_without_tests_is_refused_with_advice(refusals: Refusals) -> None:
    files = {name: text for name, text in FILES.items() if not name.startswith("tests/")}
    assert refusals({**files, "problem.xml": GOOD}) == [STANDARD]


@pytest.mark.parametrize(
    "left",
    [("tests/01",), ("tests/01", "tests/03"), ("tests/01", "tests/03", "tests/01.a", "tests/02.a", "tests/03.a")],
)
def test_standard_package_with_inputs_made_by_hand_is_refused_in_one_sentence(
    refusals: Refusals, left: tuple[str, ...]
) -> None:
    files = {name: text for name, text in FILES.items() if not name.startswith("tests/") or name in left}
    del files["files/testlib.h"]
    assert refusals({**files, "problem.xml": GOOD}) == [STANDARD]


def test_missing_files_of_a_full_package_are_told_in_one_sentence(refusals: Refusals) -> None:
    files = {name: text for name, text in FILES.items() if name not in ("tests/01", "tests/01.a", "tests/03")}
    assert refusals({**files, "problem.xml": GOOD}) == [
        "problem.xml: testset.tests: lists tests whose files are missing: tests/01, tests/03, tests/01.a"
    ]
    many = HEAD + f"<tests>{'<test/>' * 97}</tests>" + JUDGED + ASSETS
    assert refusals({**FILES, "problem.xml": many}) == [
        "problem.xml: testset.tests: lists tests whose files are missing: tests/04, tests/05, tests/06 and 185 more"
    ]


RESOURCE = '<files><resources><file path="files/{}" {}>{}</file></resources></files>'


@pytest.mark.parametrize(
    ("old", "new", "why"),
    [
        ('input-file=""', 'treat-points-from-checker-as-percent="true"', "problem.xml: judging.treat-points-from-ch"),
        ('input-file=""', 'input-file="" speed="2"', "problem.xml: judging: has 'speed', which Tally does not know"),
        ("</judging>", "<limits/></judging>", "problem.xml: judging: has 'limits', which Tally does not know"),
        ("</testset>", "<process-limit/></testset>", "problem.xml: judging.testset: has 'process-limit', which"),
        (
            "</testset>",
            '<groups><group name="1" points-policy="max"/></groups></testset>',
            "problem.xml: judging.testse",
        ),
        ("</assets>", '<scorer><source path="s"/></scorer></assets>', "problem.xml: assets: has a scorer, a program"),
        ("</assets>", "<grader/></assets>", "problem.xml: assets: has 'grader', which Tally does not know"),
        ('type="testlib"', 'type="other"', "problem.xml: assets.checker.type: is 'other'"),
        ("</checker>", "<arguments/></checker>", "problem.xml: assets.checker: has 'arguments', which Tally"),
        ("</problem>", '<tags><tag value="run-twice"/></tags></problem>', "problem.xml: tags: has run-twice"),
        (
            "</problem>",
            RESOURCE.format("grader.h", 'for-types="cpp.*"', '<assets><asset name="solution"/></assets>')
            + "</problem>",
            "files/grader.h: is compiled along with submissions (a grader)",
        ),
        (
            "</problem>",
            RESOURCE.format("grader.cpp", 'for-types="cpp.*"', "") + "</problem>",
            "files/grader.cpp: is compiled along with submissions (a grader)",
        ),
    ],
)
def test_what_changes_verdicts_and_is_not_known_is_refused(refusals: Refusals, old: str, new: str, why: str) -> None:
    (found,) = refusals({**FILES, "problem.xml": GOOD.replace(old, new, 1)})
    assert found.startswith(why)


def test_what_changes_no_verdict_is_known_or_named(stage: Stage) -> None:
    xml = GOOD.replace('input-file=""', 'cpu-name="x" treat-points-from-checker-as-percent="false" input-file=""')
    resources = RESOURCE.format("testlib.h", 'for-types="cpp.*"', '<assets><asset name="CHECKER"/></assets>')
    xml = xml.replace("</problem>", f'{resources}<tags><tag value="dp"/></tags></problem>')
    xml = xml.replace("<test/>", '<test colour="red"/>')
    files = {"check.cpp": "x", "doall.sh": "x", "scripts/gen.sh": "x", "tags": "dp", "own/grader.cpp": "x"}
    _, _, warnings = converted(stage, {**FILES, **files, "problem.xml": xml})
    assert warnings == (
        "problem.xml: testset.tests: has 'colour', which is left out",
        "the archive: has files that are left out: own/grader.cpp",
    )


@pytest.mark.parametrize(
    ("old", "new", "why"),
    [
        ('input-file=""', 'input-file="sum.in"', "problem.xml: judging.input-file: is 'sum.in'"),
        ('output-file=""', 'output-file="" run-count="2"', "problem.xml: judging.run-count: is not 1"),
        ("%02d<", "%s<", "problem.xml: testset.input-path-pattern: must be like tests/%02d"),
        (">1500<", ">soon<", "problem.xml: testset.time-limit: must be a whole number"),
        (
            "<test/>",
            "<test/><test/>",
            "problem.xml: testset.tests: lists tests whose files are missing: tests/04, tests/04.a",
        ),
        (TESTS, "<tests/>", "problem.xml: testset.tests: must have between 1 and 10000 tests"),
        ("files/check.cpp", "files/no.cpp", "files/no.cpp: is missing: problem.xml names it as the checker"),
        ("cpp.g++20", "java.8", "files/check.cpp: is a checker in java.8"),
        ("<names>", "<names", "problem.xml: is not valid XML"),
        ("?>", "?><!DOCTYPE x [<!ENTITY a 'b'>]>", "problem.xml: declares a document type"),
        ("<problem", "<contest", "problem.xml: is not valid XML"),
        ("<test/>", '<test points="x"/>', "problem.xml: test: has points 'x'"),
    ],
)
def test_what_cannot_be_kept_is_refused_by_name(refusals: Refusals, old: str, new: str, why: str) -> None:
    found = refusals({**FILES, "problem.xml": GOOD.replace(old, new, 1)})
    assert found[0].startswith(why)


def test_missing_testlib_is_named(refusals: Refusals) -> None:
    files = {**FILES, "problem.xml": GOOD}
    del files["files/testlib.h"]
    assert refusals(files) == ["files/testlib.h: is missing: the checker check.cpp includes it"]


def test_many_elements_inside_each_other_are_refused(refusals: Refusals) -> None:
    deep = "<a>" * 100 + "</a>" * 100
    (found,) = refusals({**FILES, "problem.xml": f"<problem>{deep}</problem>"})
    assert found.startswith("problem.xml: has more than 100,000 elements")


def test_solutions_go_where_their_tags_say(stage: Stage) -> None:
    tags = {
        "main": "accepted",
        "accepted": "accepted",
        "wrong-answer": "wrong_answer",
        "presentation-error": "wrong_answer",
        "time-limit-exceeded": "time_limit_exceeded",
        "memory-limit-exceeded": "run_time_error",
        "rejected": "rejected",
        "failed": "rejected",
        "time-limit-exceeded-or-accepted": "mixed",
        "time-limit-exceeded-or-memory-limit-exceeded": "mixed",
        "do-not-run": "",
    }
    solutions = "".join(
        f'<solution tag="{tag}"><source path="solutions/s{n}.cpp" type="cpp.g++17"/></solution>'
        for n, tag in enumerate(tags)
    )
    solutions += '<solution tag="accepted"><source path="solutions/old.py" type="python.2"/></solution>'
    xml = GOOD.replace("</assets>", f"<solutions>{solutions}</solutions></assets>")
    sources = {f"solutions/s{n}.cpp": "int main() {}\n" for n in range(len(tags))}
    package, texts, warnings = converted(stage, {**FILES, **sources, "solutions/old.py": "print 1", "problem.xml": xml})
    for number, folder in enumerate(tags.values()):
        assert (f"submissions/{folder}/s{number}.cpp" in texts) is bool(folder)
    expected = {submission.name: submission.expected for submission in package.submissions}
    assert expected["mixed/s8.cpp"] == {"TLE", "AC"}
    assert expected["mixed/s9.cpp"] == {"TLE", "RE", "MLE"}
    assert expected["rejected/s6.cpp"] >= {"WA", "TLE"}
    assert "submissions/accepted/old.py2" in texts
    assert warnings == ("solutions/s10.cpp: is left out: its tag is 'do-not-run'",)


def test_points_become_groups(stage: Stage) -> None:
    tests = """<tests><test sample="true" points="0" group="0"/><test points="10" group="1"/>
    <test points="0" group="2"/></tests><groups><group name="0" points-policy="complete-group"/>
    <group name="1" points-policy="each-test"/>
    <group name="2" points="60" points-policy="complete-group">
    <dependencies><dependency group="1"/></dependencies></group>
    </groups>"""
    package, texts, _ = converted(stage, {**FILES, "problem.xml": HEAD + tests + JUDGED + ASSETS})
    assert [case.name for case in package.test_cases] == [
        "sample/01",
        "secret/1-1/01-02",
        "secret/2-2/01-of-1",
        "secret/2-2/02-03",
    ]
    assert "accept_score: 60" in texts["data/secret/2-2/testdata.yaml"]
    assert "range: 0 70" in texts["data/testdata.yaml"]
    assert "ignore_sample" in texts["data/testdata.yaml"]
    assert "type: scoring" in texts["problem.yaml"]
    assert "score.txt" in texts["output_validators/checker/run"]
    assert "validation: custom score" in texts["problem.yaml"]


def test_samples_that_are_worth_something_count(stage: Stage) -> None:
    tests = '<tests><test sample="true" points="5"/><test points="5"/><test points="90"/></tests>'
    package, texts, _ = converted(stage, {**FILES, "problem.xml": HEAD + tests + JUDGED + ASSETS})
    names = [case.name for case in package.test_cases]
    assert names == ["sample/01", "secret/1/01-01", "secret/1/02-02", "secret/2/01-03"]
    assert "accept_score: 5\n" in texts["data/secret/1/testdata.yaml"]
    assert "range: 0 10\n" in texts["data/secret/1/testdata.yaml"]


def test_dependencies_that_go_in_circles_end(stage: Stage) -> None:
    group = '<group name="{}" points="{}" points-policy="complete-group"><dependencies><dependency group="{}"/>'
    groups = "".join(f"{group.format(a, p, b)}</dependencies></group>" for a, p, b in (("1", 4, "2"), ("2", 6, "1")))
    tests = f'<tests><test sample="true"/><test group="1"/><test group="2"/></tests><groups>{groups}</groups>'
    package, _, _ = converted(stage, {**FILES, "problem.xml": HEAD + tests + JUDGED + ASSETS})
    assert len(package.test_cases) == 5


def test_groups_that_need_very_many_cases_of_others_are_refused(refusals: Refusals) -> None:
    group = '<group name="{}" points="1" points-policy="complete-group"><dependencies><dependency group="{}"/>'
    groups = "".join(f"{group.format(n, n - 1)}</dependencies></group>" for n in range(1, 160))
    tests = "".join(f'<test group="{n}"/>' for n in range(160))
    files = {f"tests/{n:02}{end}": "1\n" for n in range(1, 161) for end in ("", ".a")}
    xml = HEAD + f"<tests>{tests}</tests><groups>{groups}</groups>" + JUDGED + ASSETS
    (error,) = refusals({**FILES, **files, "problem.xml": xml})
    assert error == "groups: depend on each other: with the cases of those they need there are over 10,000 more"


SECTIONS = {
    "statement-sections/english/name.tex": "Sum it\n",
    "statement-sections/english/legend.tex": "Add \\bf{two} <<numbers>>.\n\n\\includegraphics[width=3cm]{pic.png}\n",
    "statement-sections/english/input.tex": "Two numbers.\n",
    "statement-sections/english/pic.png": "english picture",
}


def test_statement_comes_from_its_sections(stage: Stage) -> None:
    _, texts, _ = converted(stage, {**FILES, **SECTIONS, "problem.xml": GOOD})
    text = texts["problem_statement/problem.en.tex"]
    assert text.startswith("\\problemname{Sum it}\n\nAdd \\textbf{two} ``numbers''.")
    assert "\\section*{Input}\n\nTwo numbers." in text
    assert texts["problem_statement/pic.png"] == "english picture"


def test_statement_comes_from_properties_and_from_latex(stage: Stage) -> None:
    tex = "\\begin{problem}{Summe}{stdin}{stdout}{1 s}{1 MB}\nAddiere.\n\\InputFile\nZwei.\n\\Examples\nx\n"
    tex += "\\end{problem}\n"
    files = {
        "statements/russian/problem-properties.json": '{"name": "Сумма", "legend": "Сложи.", "notes": null}',
        "statements/german/problem.tex": tex,
        "statements/german/pic.png": "x",
        "statements/martian/problem.tex": tex,
    }
    package, texts, warnings = converted(stage, {**FILES, **files, "problem.xml": GOOD})
    assert [statement.language for statement in package.statements] == ["de", "ru"]
    german = texts["problem_statement/problem.de.tex"]
    assert german == "\\problemname{Summe}\n\nAddiere.\n\n\\section*{Eingabe}\n\nZwei.\n"
    assert "Сложи." in texts["problem_statement/problem.ru.tex"]
    assert warnings == ("statements/martian: is left out: it has no text or language code",)


def test_halves_of_characters_do_no_harm(stage: Stage) -> None:
    properties = '{"name": "A\\u0000B", "legend": "x\\ud800y"}'
    files = {**FILES, "statements/english/problem-properties.json": properties, "problem.xml": GOOD}
    _, texts, _ = converted(stage, files)
    assert texts["problem_statement/problem.en.tex"] == "\\problemname{AB}\n\nx?y\n"


@pytest.mark.parametrize("name", ["my check (2).cpp", "run", "build", "#&'.cc"])
def test_odd_names_of_programs_do_not_reach_the_scripts(stage: Stage, name: str) -> None:
    xml = GOOD.replace("files/check.cpp", f"files/{name}".replace("&", "&amp;"))
    files = {**FILES, f"files/{name}": "int main() {}\n", "problem.xml": xml}
    _, texts, _ = converted(stage, files)
    (source,) = (file for file in texts if file.startswith("output_validators/") and file.endswith(".cpp"))
    assert texts["output_validators/checker/build"].split()[-1] == source.rpartition("/")[2]
    assert texts["output_validators/checker/run"].startswith("#!/bin/sh")


def test_pdf_picture_of_a_statement_is_kept_to_be_drawn(stage: Stage) -> None:
    legend = "statement-sections/english/legend.tex"
    plan = {legend: "\\includegraphics{plan}\n", "statement-sections/english/plan.pdf": "a plan"}
    _, texts, _ = converted(stage, {**FILES, **SECTIONS, **plan, "problem.xml": GOOD})
    assert texts["problem_statement/plan.pdf"] == "a plan"
    assert "\\includegraphics{plan.pdf}" in texts["problem_statement/problem.en.tex"]


def test_pictures_of_two_languages_with_one_name_are_both_kept(stage: Stage) -> None:
    russian = {
        "statement-sections/russian/legend.tex": "Сложи. \\includegraphics{pic}\n",
        "statement-sections/russian/pic.png": "russian picture",
    }
    _, texts, _ = converted(stage, {**FILES, **SECTIONS, **russian, "problem.xml": GOOD})
    assert texts["problem_statement/pic.png"] == "english picture"
    assert texts["problem_statement/ru-pic.png"] == "russian picture"
    assert "\\includegraphics{ru-pic.png}" in texts["problem_statement/problem.ru.tex"]


def test_a_picture_shown_often_is_looked_at_once(stage: Stage, monkeypatch: pytest.MonkeyPatch) -> None:
    compared: list[str] = []
    cmp = filecmp.cmp

    def counted(one: Path, other: Path, *, shallow: bool) -> bool:
        compared.append(Path(other).name)
        return cmp(one, other, shallow)

    monkeypatch.setattr(filecmp, "cmp", counted)
    read_bytes = Path.read_bytes
    monkeypatch.setattr(
        Path, "read_bytes", lambda path: read_bytes(path) if path.suffix != ".png" else pytest.fail("read")
    )
    often = {"statement-sections/english/legend.tex": "\\includegraphics{pic.png}\n" * 50}
    _, texts, _ = converted(stage, {**FILES, **SECTIONS, **often, "problem.xml": GOOD})
    assert texts["problem_statement/pic.png"] == "english picture"
    assert compared == []


def test_interactor_and_its_checker_become_one_program(stage: Stage) -> None:
    interactor = '<interactor><source path="files/talk.cpp" type="cpp.g++17"/></interactor>'
    files = {
        **FILES,
        **SECTIONS,
        "files/talk.cpp": '#include "testlib.h"\n',
        "statement-sections/english/example.01": "3\n\n7\n",
        "statement-sections/english/example.01.a": "\n? 1\n\n! 2\n",
    }
    package, texts, _ = converted(stage, {**files, "problem.xml": GOOD.replace("</assets>", f"{interactor}</assets>")})
    assert package.is_interactive
    run = texts["output_validators/interactor/run"]
    assert run.index("interactor.bin") < run.index("checker.bin")
    assert texts["data/sample/01.interaction"] == "<3\n>? 1\n<7\n>! 2\n"


def test_validators_become_input_validators(stage: Stage) -> None:
    validators = '<validators><validator><source path="files/check.cpp" type="cpp.g++17"/></validator></validators>'
    files = {**FILES, "problem.xml": GOOD.replace("</assets>", f"{validators}</assets>")}
    _, texts, _ = converted(stage, files)
    assert "validator.bin" in texts["input_validators/validator-1/run"]


# --- the scripts, with small programs in the place of testlib's


def run_script(folder: Path, *arguments: str, given: str = "") -> "subprocess.CompletedProcess[str]":
    (folder / "run").chmod(0o755)
    return subprocess.run([folder / "run", *arguments], input=given, capture_output=True, text=True, check=False)


@pytest.mark.parametrize(
    ("code", "said", "is_scoring", "result", "score"),
    [
        (0, "ok", False, 42, None),
        (1, "wrong answer", False, 43, None),
        (2, "wrong format", False, 43, None),
        (8, "unexpected eof", False, 43, None),
        (3, "FAIL jury", False, 1, None),
        (139, "", False, 1, None),
        (7, "points 0.75 nearly", True, 42, "0.75\n"),
        (7, "points 0.0 nothing", True, 42, "0.0\n"),
        (7, "points 1e-3 hardly", True, 42, "1e-3\n"),
        (7, "points 1e999 text", True, 1, None),
        (7, "points many", True, 1, None),
        (7, "text with points 3", True, 1, None),
        (7, "nonsense", True, 1, None),
        (7, "points 0.75 nearly", False, 1, None),
        (30, "partially correct (30) so so", True, 42, "30\n"),
        (80, "partially correct (30) so so", True, 42, "30\n"),
        (30, "partially correct (30) so so", False, 43, None),
        (0, "partially correct (0) nothing", True, 43, None),
        (3, "partially correct (3)", True, 42, "3\n"),
        (3, "FAIL it says partially correct (3)", True, 1, None),
        (31, "partially correct (30)", True, 1, None),
    ],
)
@pytest.mark.costly
def test_exit_codes_of_checkers_are_translated(
    stage: Stage, tmp_path: Path, code: int, said: str, is_scoring: bool, result: int, score: str | None
) -> None:
    source = (
        "import sys\n_, given, output, answer = sys.argv\n"
        "assert open(given).read() == 'in' and open(output).read() == 'out' and open(answer).read() == 'ans'\n"
        f"print({said!r}, file=sys.stderr)\nsys.exit({code})\n"
    )
    xml = GOOD.replace("check.cpp", "check.py").replace("cpp.g++20", "python.3")
    xml = xml.replace("<test/>", '<test points="1"/>') if is_scoring else xml
    feedback = tmp_path / "feedback"
    feedback.mkdir()
    (tmp_path / "given").write_text("in")
    (tmp_path / "answer").write_text("ans")
    with stage({**FILES, "files/check.py": source, "problem.xml": xml}) as staged:
        folder = staged.folder / "output_validators/checker"
        done = run_script(folder, str(tmp_path / "given"), str(tmp_path / "answer"), f"{feedback}/", given="out")
    assert done.returncode == result
    assert done.stdout == ""
    assert (feedback / "judgemessage.txt").read_text() == f"{said}\n"
    assert ((feedback / "score.txt").read_text() if (feedback / "score.txt").exists() else None) == score
    assert {path.name for path in feedback.iterdir()} <= {"judgemessage.txt", "score.txt"}


@pytest.mark.parametrize(("talk", "check", "result"), [(0, 0, 42), (0, 1, 43), (1, 0, 43), (3, 0, 1)])
@pytest.mark.costly
def test_interactor_is_followed_by_the_checker(
    stage: Stage, tmp_path: Path, talk: int, check: int, result: int
) -> None:
    interactor = (
        "import sys\n_, given, talk, answer = sys.argv\nprint('hello', flush=True)\n"
        f"open(talk, 'w').write(input())\nsys.exit({talk})\n"
    )
    checker = f"import sys\nassert open(sys.argv[2]).read() == 'world'\nprint('noise')\nsys.exit({check})\n"
    element = '<interactor><source path="files/talk.py" type="python.3"/></interactor>'
    xml = GOOD.replace("check.cpp", "check.py").replace("cpp.g++20", "python.3")
    files = {**FILES, "files/check.py": checker, "files/talk.py": interactor}
    (tmp_path / "feedback").mkdir()
    with stage({**files, "problem.xml": xml.replace("</assets>", f"{element}</assets>")}) as staged:
        folder = staged.folder / "output_validators/interactor"
        done = run_script(folder, "/dev/null", "/dev/null", f"{tmp_path}/feedback/", given="world\n")
    assert (done.returncode, done.stdout) == (result, "hello\n")


@pytest.mark.parametrize(("code", "result"), [(0, 42), (3, 43), (1, 43), (134, 1)])
@pytest.mark.costly
def test_exit_codes_of_validators_are_translated(stage: Stage, code: int, result: int) -> None:
    element = '<validators><validator><source path="files/v.py" type="python.3"/></validator></validators>'
    source = f"import sys\nassert input() == '7'\nprint('noise')\nsys.exit({code})\n"
    xml = GOOD.replace("</assets>", f"{element}</assets>")
    with stage({**FILES, "files/v.py": source, "problem.xml": xml}) as staged:
        done = run_script(staged.folder / "input_validators/validator-1", given="7\n")
    assert (done.returncode, done.stdout) == (result, "")
