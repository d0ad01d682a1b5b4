"""Ready experiments have their texts in other languages too, and a run is told in the reader's."""

from dataclasses import replace
from pathlib import Path

import pytest

from judge.grading.experiment.library import LIBRARY, ready_experiments
from judge.grading.experiment.spec import SpecError
from judge.grading.experiment.texts import in_language, is_written_in, title_in, words_of

_KEYS = list(ready_experiments())


@pytest.mark.parametrize("key", _KEYS)
def test_every_text_of_a_ready_experiment_is_in_korean(key: str) -> None:
    assert is_written_in(key, "ko")
    spec = ready_experiments()[key]
    told = in_language(spec, key, "ko")
    for text in (told.title, told.question, told.mechanism, told.published_source, *(one.text for one in told.claims)):
        assert any("가" <= letter <= "힣" for letter in text), text
    assert words_of(LIBRARY / key, "ko")[spec.title] == told.title == title_in(spec.title, key, "ko")


def test_a_changed_text_and_what_runs_stay_as_they_are() -> None:
    key = _KEYS[0]
    spec = replace(ready_experiments()[key], question="Is it mine?")
    told = in_language(spec, key, "ko")
    assert told.question == "Is it mine?"
    assert [(one.name, one.source, one.args) for one in told.variants] == [
        (one.name, one.source, one.args) for one in spec.variants
    ]


@pytest.mark.parametrize("key", ["own-1", "../library", _KEYS[0]])
def test_without_texts_in_the_language_the_english_ones_stay(key: str) -> None:
    spec = ready_experiments()[_KEYS[0]]
    assert in_language(spec, key, "sv") is spec


def test_texts_of_another_shape_are_refused(tmp_path: Path) -> None:
    (tmp_path / "experiment.yaml").write_text("title: a\nvariants: [{name: x, note: b}]\n")
    (tmp_path / "experiment.sv.yaml").write_text("title: c\nvariants: [{name: x}]\n")
    with pytest.raises(SpecError) as caught:
        words_of(tmp_path, "sv")
    assert [key.rpartition(": ")[2] for key in caught.value.problems] == ["variants.x.note"]
