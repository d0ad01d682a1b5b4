"""The file that a contestant sends, as packages expect it: its name, and the code to begin with."""

from collections.abc import Callable
from pathlib import Path

import pytest

from problems.languages import CPP, PACKAGE_LANGUAGES, PYTHON, RUST, PackageLanguage
from problems.loading.loading import load_package
from problems.package import SubmittedFile

Write = Callable[[dict[str, str | None]], Path]
FRAMES = {
    "python": ("include/python3/main.py", "import os\nfrom letter import encode, decode\n", "letter.py"),
    "rust": ("include/rust/main.rs", "use std::env;\n\nmod letter;\n\nfn main() { letter::encode() }\n", "letter.rs"),
    "cpp": ("include/cpp/runner.cpp", '#include <string>\n#include "letter.cpp"\n', "letter.cpp"),
}


def submitted(path: Path, language: str) -> SubmittedFile:
    """What the package says of a submission in this language."""
    return load_package(path).submitted.get(language, SubmittedFile())


@pytest.mark.parametrize("language", FRAMES)
def test_the_name_is_that_of_a_jury_submission_which_the_packages_program_names(language: str, new: Write) -> None:
    frame, text, name = FRAMES[language]
    said = submitted(new({frame: text, f"submissions/accepted/{name}": "x\n"}), language)
    entry = Path(frame).name
    assert said == SubmittedFile(name=name, reserved=(entry,), entry=entry)


@pytest.mark.parametrize("language", FRAMES)
def test_a_line_that_names_no_file_of_the_jury_asks_for_no_name(language: str, new: Write) -> None:
    frame, text, _ = FRAMES[language]
    ending = PACKAGE_LANGUAGES[language].extensions[0]
    assert submitted(new({frame: text, f"submissions/accepted/alice{ending}": "x\n"}), language).name == ""


def test_a_file_of_a_submission_that_is_a_folder_counts_too(new: Write) -> None:
    frame, text, name = FRAMES["python"]
    folder = {f"submissions/accepted/alice/{name}": "x\n", "submissions/accepted/alice/more.py": "y\n"}
    assert submitted(new({frame: text, **folder}), "python").name == name


def test_a_code_template_gives_the_name_and_the_text_to_begin_with(new: Write) -> None:
    frame, text, name = FRAMES["python"]
    path = new({frame: text, f"attachments/templates/python3/{name}": "def encode(text):\r\n    return text\r\n"})
    starter = "def encode(text):\n    return text\n"
    assert submitted(path, "python") == SubmittedFile(
        name=name, usual=name, reserved=("main.py",), entry="main.py", starter=starter
    )
    assert submitted(path, "rust") == SubmittedFile()


def test_a_template_without_a_program_of_the_package_asks_for_no_name(new: Write) -> None:
    path = new({"attachments/templates/cpp/sums.cpp": "int main() {}\n", "attachments/templates/cpp/sums.h": "\n"})
    assert submitted(path, "cpp") == SubmittedFile(usual="sums.cpp", starter="int main() {}\n")


def test_a_languages_own_templates_go_before_those_for_all(new: Write) -> None:
    path = new({"attachments/templates/default/a.py": "1\n", "attachments/templates/python3/b.py": "2\n"})
    assert submitted(path, "python").usual == "b.py"
    (path / "attachments/templates/python3/b.py").rename(path / "attachments/templates/default/c.rs")
    (path / "attachments/templates/python3").rmdir()
    assert (submitted(path, "python").usual, submitted(path, "rust").usual) == ("a.py", "c.rs")


@pytest.mark.parametrize("content", ["x" * 70_000, "a\0b"], ids=["too long", "no text"])
def test_what_no_editor_shows_is_left_out_with_a_warning(content: str, new: Write) -> None:
    package = load_package(new({"attachments/templates/python3/a.py": content}))
    assert package.submitted["python"] == SubmittedFile(usual="a.py")
    assert any("attachments/templates/python3/a.py: is not shown in the editor" in str(one) for one in package.warnings)


def test_files_of_the_package_keep_their_names_to_themselves(new: Write) -> None:
    files = {"include/python3/given.py": "x = 1\n", "include/python3/table.txt": "1\n"}
    path = new({**files, "attachments/templates/python3/given.py": "y = 2\n"})
    assert submitted(path, "python") == SubmittedFile(reserved=("given.py",))


@pytest.mark.parametrize(
    ("language", "line", "is_named"),
    [
        (PYTHON, "from letter import encode", True),
        (PYTHON, "    import os, letter as given", True),
        (PYTHON, "given = importlib.import_module('letter')", True),
        (PYTHON, "import letters", False),
        (PYTHON, "# import letter", False),
        (PYTHON, "import os  # not letter", False),
        (PYTHON, "from other import letter", False),
        (RUST, "pub(crate) mod letter;", True),
        (RUST, '#[path = "letter.rs"] mod given;', True),
        (RUST, 'include!("letter.rs");', True),
        (RUST, "mod letter { }", False),
        (RUST, "// mod letter;", False),
        (CPP, '#  include "letter.cpp"', True),
        (CPP, "#include <letter.cpp>", False),
        (CPP, '#include "letterXcpp"', False),
    ],
)
def test_only_what_makes_a_file_part_of_the_program_names_it(
    language: PackageLanguage, line: str, is_named: bool
) -> None:
    name = f"letter{language.extensions[0]}"
    assert language.refers_to(f"first\n{line}\nlast", name) is is_named


@pytest.mark.parametrize(
    ("name", "is_one"),
    [
        ("a.py", True),
        ("Two_Sums-2.v1.py", True),
        ("a.py3", True),
        (f"{'a' * 97}.py", True),
        (f"{'a' * 98}.py", False),
        ("a.cpp", False),
        ("a", False),
        (".py", False),
        ("-a.py", False),
        ("a b.py", False),
        ("풀이.py", False),
        ("../a.py", False),
        ("a/b.py", False),
        ("a.py\n", False),
    ],
)
def test_a_name_is_of_plain_characters_with_its_ending(name: str, is_one: bool) -> None:
    assert PYTHON.is_file_name(name) is is_one
