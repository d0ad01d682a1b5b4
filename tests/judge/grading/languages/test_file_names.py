"""The names of programs' files: kept, replaced where they would do harm, and those that problems ask for."""

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

import pytest

from judge.grading.events import CompileFinished, GradingFinished, GradingJob, ProfilePolicy
from judge.grading.jury_job import jury_job
from judge.grading.languages import CPP, PYTHON, RUST, Language, file_name
from judge.grading.submission.grading import grade
from judge.grading.verdicts import Verdict
from problems.loading.loading import load_package
from problems.package import Package, SubmittedFile
from sandbox.jail.nsjail import NsjailSandbox
from tests.judge.packages import make_package

YAML = "name: Double\nlimits: {time_limit: 2}\n"
CASE = {"data/secret/1.in": "21\n", "data/secret/1.ans": "42\n"}


@pytest.mark.parametrize(
    ("language", "sent", "expected", "name"),
    [
        (PYTHON, "", None, "main.py"),
        (PYTHON, "sums.py", None, "sums.py"),
        (PYTHON, "random.py", None, "main.py"),
        (PYTHON, "sums.cpp", None, "main.py"),
        (CPP, "random.cpp", SubmittedFile(reserved=("grader.cpp",)), "random.cpp"),
        (CPP, "grader.cpp", SubmittedFile(reserved=("grader.cpp",)), "main.cpp"),
        (CPP, "", SubmittedFile(reserved=("main.cpp",)), "solution.cpp"),
        (CPP, "", SubmittedFile(reserved=("main.cpp", "solution.cpp")), "solution1.cpp"),
        (RUST, "", SubmittedFile(usual="sums.rs"), "sums.rs"),
        (RUST, "mine.rs", SubmittedFile(usual="sums.rs"), "mine.rs"),
        (RUST, "mine.rs", SubmittedFile(name="sums.rs"), "sums.rs"),
    ],
)
def test_the_name_in_the_jail(language: Language, sent: str, expected: SubmittedFile | None, name: str) -> None:
    assert file_name(language, sent, expected) == name


def write(folder: Path, files: Mapping[str, str]) -> Package:
    """A package of these files, with a test case that asks for the double of 21."""
    for name, content in {"problem.yaml": YAML, **CASE, **files}.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(content)
    return load_package(folder)


PYTHON_FRAME = "from double import double\n\nprint(double(int(input())))\n"
RUST_FRAME = """
mod double;
fn main() {
    let mut text = String::new();
    std::io::stdin().read_line(&mut text).unwrap();
    println!("{}", double::double(text.trim().parse().unwrap()));
}
"""
CPP_FRAME = (
    "#include <iostream>\nlong double_of(long);\nint main() { long n; std::cin >> n; std::cout << double_of(n); }\n"
)
CPP_INCLUDES = CPP_FRAME.replace("long double_of(long);", '#include "double.cpp"')
FUNCTIONS = {
    "python": "def double(n):\n    return 2 * n\n",
    "rust": "pub fn double(n: i64) -> i64 {\n    2 * n\n}\n",
    "cpp": "long double_of(long n) { return 2 * n; }\n",
}
FRAMES = {
    "python, __main__.py": ("python", "include/python3/__main__.py", PYTHON_FRAME),
    "python, main.py": ("python", "include/python3/main.py", PYTHON_FRAME),
    "python, another name": ("python", "include/python3/runner.py", PYTHON_FRAME),
    "rust": ("rust", "include/rust/main.rs", RUST_FRAME),
    "cpp": ("cpp", "include/cpp/main.cpp", CPP_FRAME),
    "cpp, includes the file": ("cpp", "include/cpp/main.cpp", CPP_INCLUDES),
}
ENDINGS = {"python": "py", "rust": "rs", "cpp": "cpp"}


@pytest.mark.each
@pytest.mark.jail
@pytest.mark.parametrize("frame", FRAMES)
def test_a_function_is_judged_whatever_its_file_is_called(
    frame: str, tmp_path: Path, sandbox: NsjailSandbox, work_root: Path
) -> None:
    language, place, text = FRAMES[frame]
    jury = f"submissions/accepted/double.{ENDINGS[language]}"
    package = write(tmp_path / "double", {place: text, jury: FUNCTIONS[language]})
    (submission,) = package.submissions
    for sent in ("", f"double.{ENDINGS[language]}", f"mine.{ENDINGS[language]}", Path(place).name):
        job = replace(jury_job(package, submission, None), file_name=sent)
        first, *_, finished = grade(job, sandbox, work_root)
        assert isinstance(first, CompileFinished)
        assert isinstance(finished, GradingFinished)
        assert finished.verdict is Verdict.AC, (sent, first.message, finished)


@pytest.mark.jail
@pytest.mark.parametrize(
    ("language", "source", "mistake"),
    [
        ("python", "\n\nx = (\n", r'"mine.py", line 3'),
        ("cpp", "\n\nint x = y;\n", "mine.cpp:3:"),
        ("rust", "\n\nfn main() { x }\n", "mine.rs:3:"),
    ],
)
def test_compilers_name_the_file_as_its_sender_does(
    language: str, source: str, mistake: str, tmp_path: Path, sandbox: NsjailSandbox, work_root: Path
) -> None:
    package = make_package(tmp_path)
    job = GradingJob(package=package, language=language, source=source.encode(), profile=ProfilePolicy.NONE)
    compiled = next(grade(replace(job, file_name=f"mine.{ENDINGS[language]}"), sandbox, work_root))
    assert isinstance(compiled, CompileFinished)
    assert mistake in compiled.message


@pytest.mark.jail
def test_a_program_that_is_its_own_name_is_run(tmp_path: Path, sandbox: NsjailSandbox, work_root: Path) -> None:
    name = f"{b'print(2 * int(input()), end=chr(10))'.hex()}.py3"
    source = "from pathlib import Path\nexec(bytes.fromhex(Path(__file__).stem))\n"
    package = write(tmp_path / "double", {f"submissions/accepted/{name}": source})
    *_, finished = grade(jury_job(package, package.submissions[0], None), sandbox, work_root)
    assert isinstance(finished, GradingFinished)
    assert finished.verdict is Verdict.AC
