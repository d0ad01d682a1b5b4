"""Languages: detected as the jail will see them, and with fixed names."""

import re
from dataclasses import replace
from pathlib import Path

import pytest

from judge.grading.languages import (
    CPP,
    LANGUAGES,
    PYTHON,
    RUST,
    Language,
    ToolchainMissing,
    language_of_file,
    source_problem,
)
from judge.grading.languages.toolchain import Tool
from judge.grading.reading.places import Deed
from problems.languages import PACKAGE_LANGUAGES
from tests.judge.grading.reading.syntax.test_code import code_of

MODES = Path(__file__).parents[4] / "web" / "frontend" / "editor" / "modes.js"


@pytest.mark.parametrize("language", LANGUAGES.values(), ids=lambda language: language.id)
def test_every_language_is_on_this_host_and_says_its_version(language: Language) -> None:
    toolchain = language.detect()
    assert toolchain.problem == ""
    assert toolchain.path.startswith("/usr/")
    assert any(character.isdigit() for character in toolchain.version)


def test_a_missing_tool_is_a_sentence_with_the_remedy() -> None:
    tool = Tool(name="no-such-compiler", version_argument="--version", debian_package="nothing-at-all")
    missing = replace(CPP, name="Nothing", tool=tool)
    assert missing.detect().problem == (
        "Nothing: there is no no-such-compiler below /usr; install it with: apt-get install nothing-at-all"
    )
    with pytest.raises(ToolchainMissing, match="nothing-at-all"):
        missing.compile_argv(("main.x",))


@pytest.mark.parametrize(
    ("name", "language"),
    [
        ("a.py", PYTHON),
        ("b.CPP", CPP),
        ("c.cc", CPP),
        ("c.C", CPP),
        ("d.rs", RUST),
        ("e.java", None),
        ("Makefile", None),
    ],
)
def test_the_language_follows_from_the_extension(name: str, language: Language | None) -> None:
    assert language_of_file(name) is language


def test_python_runs_its_source_and_the_compiled_ones_their_program() -> None:
    lines = {language: language.runtime.run_argv(language.start("main.x"), 0) for language in (PYTHON, CPP, RUST)}
    assert lines[PYTHON][-1] == "/program/main.x"
    assert lines[CPP] == lines[RUST] == ("/program/main",)


@pytest.mark.parametrize(
    ("source", "problem"),
    [
        (b"", "The source is empty."),
        (b" \n\t", "The source is empty."),
        (b"x" * 1001, "The source has 1,001 bytes; at most 1,000 are allowed."),
        (b"x" * 1000, None),
    ],
)
def test_an_unfit_source_gets_its_sentence(source: bytes, problem: str | None) -> None:
    assert source_problem(source, 1000) == problem


@pytest.mark.parametrize("language", LANGUAGES.values(), ids=lambda language: language.id)
def test_every_language_can_be_read_and_coloured(language: Language) -> None:
    code = code_of(language.printing_program, language)
    assert {place.deed for place in code.places} >= {Deed.PRINT, Deed.FLUSH}
    assert language.editor.mode in re.findall(r"^export \{ (\w+) \} from ", MODES.read_text(), re.MULTILINE)


def test_no_two_languages_share_an_extension_or_a_code() -> None:
    records = PACKAGE_LANGUAGES.values()
    assert list(PACKAGE_LANGUAGES) == list(LANGUAGES)
    extensions = [extension for each in records for extension in each.extensions]
    codes = [code for each in records for code in each.codes]
    assert (len(set(extensions)), len(set(codes))) == (len(extensions), len(codes))
