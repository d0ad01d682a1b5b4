"""Problems that ask for a function, written and changed in the form."""

from pathlib import Path

import pytest
from django.contrib.auth.models import User
from django.test import Client

from problems.package import SubmittedFile
from tests.web.views.problems.edit.form import LEGACY, Publisher, as_shown, before, change
from tests.web.views.problems.test_wizard import errors, refused, sent
from web.identity.accounts import make_instructor

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("redis_server", "own_store")]
PROGRAM = "from double import double\r\n\r\nprint(double(int(input())))"
STARTER = "def double(n):\r\n    return n\r\n"
PYTHON = {"program_python": PROGRAM, "file_name_python": "double.py", "starter_python": STARTER}
FILES = {
    "include/python3/__main__.py": "from double import double\n\nprint(double(int(input())))\n",
    "attachments/templates/python3/double.py": "def double(n):\n    return n\n",
}


@pytest.fixture
def author(client: Client, student: User) -> Client:
    """The student made an instructor, and signed in."""
    make_instructor(student)
    client.force_login(student)
    return client


def test_a_new_problem_asks_for_a_function_in_the_languages_that_have_a_main_program(
    author: Client, tmp_path: Path
) -> None:
    rust = {"program_rust": "mod solution;\nfn main() { solution::run() }", "starter_rust": ""}
    package = sent(author, tmp_path, **PYTHON, **rust)
    assert package.languages == ("python", "rust")
    assert {name: (package.path / name).read_text() for name in FILES} == FILES
    assert (package.path / "include/rust/main.rs").read_text() == "mod solution;\nfn main() { solution::run() }\n"
    assert package.submitted == {
        "python": SubmittedFile(
            name="double.py",
            usual="double.py",
            reserved=("__main__.py",),
            entry="__main__.py",
            starter=FILES["attachments/templates/python3/double.py"],
        ),
        "rust": SubmittedFile(name="solution.rs", usual="solution.rs", reserved=("main.rs",), entry="main.rs"),
    }


def test_code_to_begin_with_alone_leaves_every_language(author: Client, tmp_path: Path) -> None:
    package = sent(author, tmp_path, starter_cpp="int main() {}")
    assert package.languages is None
    assert package.submitted == {"cpp": SubmittedFile(usual="solution.cpp", starter="int main() {}\n")}
    assert package.included == {}


@pytest.mark.parametrize(
    ("fields", "sentence"),
    [
        ({"program_python": "print(1)"}, "does not use the file solution.py. It needs a line such as: from solution"),
        ({"program_rust": "fn main() {}", "file_name_rust": "a.rs"}, "needs a line such as: mod a;"),
        ({"starter_python": "x", "file_name_python": "__main__.py"}, "Choose another name"),
        ({"starter_python": "x", "file_name_python": "queue.py"}, "Choose another name"),
        ({"starter_python": "x", "file_name_python": "a.rs"}, "Choose another name"),
        ({"starter_python": "x", "file_name_python": "../a.py"}, "Choose another name"),
        ({"starter_rust": "x", "file_name_rust": "main.rs"}, "ending .rs, such as solution.rs"),
        ({"starter_cpp": "x" * 20_001}, "20000"),
    ],
)
def test_what_could_not_work_is_said_at_its_field(author: Client, fields: dict[str, str], sentence: str) -> None:
    page = refused(author, **fields)
    assert any(sentence in said.replace("&#x27;", "'") for said in errors(page)), errors(page)
    assert '<details class="by-place functions" open>' in page


def test_a_function_is_shown_as_it_is_and_changed_alone(owner: Client, published: Publisher, tmp_path: Path) -> None:
    files = {**LEGACY, **FILES, "problem.yaml": LEGACY["problem.yaml"] + "languages: [python3]\n"}
    published(files)
    shown = as_shown(owner)
    assert {name: shown[name] for name in PYTHON} == {
        "program_python": [f"{PROGRAM}\r\n"],
        "file_name_python": ["double.py"],
        "starter_python": [STARTER],
    }
    assert "No changes to save." in owner.post("/problems/twice/edit/", shown).content.decode()
    assert "attachments/templates" not in owner.get("/problems/twice/edit/").content.decode()
    _, changed = change(owner, tmp_path, starter_python="def double(n): ...")
    assert changed.pop("attachments/templates/python3/double.py") == b"def double(n): ...\n"
    assert changed == {name: text for name, text in before(files).items() if "templates" not in name}


def test_another_name_takes_the_place_of_the_old_one(owner: Client, published: Publisher, tmp_path: Path) -> None:
    published({**LEGACY, **FILES})
    program = PROGRAM.replace("from double", "from twice")
    package, files = change(owner, tmp_path, program_python=program, file_name_python="twice.py")
    assert sorted(name for name in files if "python3" in name) == [
        "attachments/templates/python3/twice.py",
        "include/python3/__main__.py",
    ]
    assert package.submitted["python"].name == "twice.py"
    assert package.languages is None  # the set of main programs is the same


def test_the_languages_follow_the_main_programs(owner: Client, published: Publisher, tmp_path: Path) -> None:
    published(LEGACY)
    package, files = change(owner, tmp_path, **PYTHON)
    assert package.languages == ("python",)
    assert {name: text.decode() for name, text in files.items() if name in FILES} == FILES


def test_a_main_program_that_is_emptied_goes_with_its_limit_of_languages(
    owner: Client, published: Publisher, tmp_path: Path
) -> None:
    published({**LEGACY, **FILES, "problem.yaml": LEGACY["problem.yaml"] + "languages: [python3]\n"})
    package, files = change(owner, tmp_path, program_python="", starter_python="")
    assert package.languages is None
    assert not [name for name in files if "python3" in name]


def test_what_the_form_cannot_show_stays(owner: Client, published: Publisher, tmp_path: Path) -> None:
    others = {"include/cpp/runner.cpp": "int main() {}\n", "include/cpp/twice.h": "int twice(int);\n"}
    published({**LEGACY, **others})
    page = owner.get("/problems/twice/edit/").content.decode()
    assert "The package has more files for C++ than this form shows." in page
    assert "program_cpp" not in page
    package, files = change(owner, tmp_path, **PYTHON)
    assert {name: files[name].decode() for name in others} == others
    assert package.languages == ("python", "cpp")


def test_the_name_that_only_the_jury_says_is_shown(owner: Client, published: Publisher) -> None:
    files = {"include/python3/main.py": PROGRAM, "submissions/accepted/double.py": STARTER}
    published({**LEGACY, **files})
    shown = as_shown(owner)
    assert (shown["program_python"], shown["file_name_python"]) == ([PROGRAM], ["double.py"])
    assert "No changes to save." in owner.post("/problems/twice/edit/", shown).content.decode()
