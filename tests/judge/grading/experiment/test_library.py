"""A ready experiment is a folder: its yaml names the sources beside it."""

from pathlib import Path

import pytest

from judge.grading.experiment.library import read_library, ready_experiments
from judge.grading.experiment.spec import SpecError
from tests.judge.grading.experiment.specs import GATHERED

_YAML = """
title: Flushing
question: What does it cost?
variants:
  - {name: one, language: cpp, source: main.cpp}
  - {name: other, language: cpp, source: main.cpp, args: ["x"]}
input_file: numbers.txt
"""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A library with one experiment, whose folder this is."""
    folder = tmp_path / "e0-flushing"
    folder.mkdir()
    (folder / "experiment.yaml").write_text(_YAML)
    (folder / "main.cpp").write_text(GATHERED)
    (folder / "numbers.txt").write_text("1 2 3\n")
    return folder


def test_folder_becomes_a_spec(folder: Path) -> None:
    spec = read_library(folder.parent)["e0-flushing"]
    assert [each.source for each in spec.variants] == [GATHERED, GATHERED]
    assert (spec.input, spec.variants[1].args) == ("1 2 3\n", ("x",))


@pytest.mark.parametrize(
    ("changed", "key"),
    [
        (_YAML.replace("main.cpp}", "../main.cpp}"), "variants.0.source"),
        (_YAML.replace("main.cpp}", "lost.cpp}"), "variants.0.source"),
        (_YAML.replace("numbers.txt", "[]"), "input_file"),
        (_YAML + "colour: red\n", "colour"),
        (_YAML + "rounds: 51\n", "rounds"),
        ("- just a list\n", ""),
        ("{", ""),
    ],
)
def test_what_is_wrong_is_told_by_file_and_key(folder: Path, changed: str, key: str) -> None:
    (folder / "experiment.yaml").write_text(changed)
    with pytest.raises(SpecError) as caught:
        read_library(folder.parent)
    assert list(caught.value.problems) == [f"e0-flushing/experiment.yaml: {key}"]


def test_ready_experiments_are_those_that_the_notes_name() -> None:
    # reading them checks them
    names = ["e1-leftover-print", "e2-line-buffered-stdout", "e3-logging", "e4-threads-processes-loop"]
    assert list(ready_experiments()) == names
