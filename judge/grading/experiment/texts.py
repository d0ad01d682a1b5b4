"""The texts of the ready experiments in other languages: `library/KEY/experiment.LANGUAGE.yaml`.

Such a file has the shape of `experiment.yaml` and holds nothing but its texts, all of them. A run keeps the spec that
it was made from, in English; so a text is found by its English words, and one that somebody changed stays as it is.
"""

from collections.abc import Iterator, Mapping
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Any

import yaml

from judge.grading.experiment.library import LIBRARY, ready_experiments
from judge.grading.experiment.spec import ExperimentSpec, SpecError
from problems.translation import Sentence

SOURCE_LANGUAGE = "en"  # of experiment.yaml itself


def in_language(spec: ExperimentSpec, key: str, language: str) -> ExperimentSpec:
    """Return the spec with the texts that the experiment of this key has in this language; the others stay."""
    words = _words(key, language)
    if not words:
        return spec

    def told(text: str) -> str:
        return words.get(text, text)

    return replace(
        spec,
        title=told(spec.title),
        question=told(spec.question),
        mechanism=told(spec.mechanism),
        variants=tuple(replace(each, note=told(each.note)) for each in spec.variants),
        claims=tuple(replace(each, text=told(each.text), published=told(each.published)) for each in spec.claims),
        published=tuple(
            replace(row, figures={told(column): told(figure) for column, figure in row.figures.items()})
            for row in spec.published
        ),
        published_source=told(spec.published_source),
    )


def title_in(title: str, key: str, language: str) -> str:
    """Return the title of a run of this experiment in this language, if it has one there."""
    return _words(key, language).get(title, title)


def is_written_in(key: str, language: str) -> bool:
    """Return whether the ready experiment of this key has texts in this language."""
    return language == SOURCE_LANGUAGE or _path(LIBRARY / key, language).is_file()


def words_of(folder: Path, language: str) -> Mapping[str, str]:
    """Return each English text of a folder's experiment with its words in this language. Raises SpecError: the two
    files differ in shape.
    """
    english = yaml.safe_load((folder / "experiment.yaml").read_text("utf-8"))
    path = _path(folder, language)
    other = yaml.safe_load(path.read_text("utf-8"))
    theirs = list(_texts(other))
    ours = list(_texts(english))
    if [place for place, _ in ours] != [place for place, _ in theirs]:
        where = next((place for place, _ in ours if place not in dict(theirs)), "")
        raise SpecError({f"{folder.name}/{path.name}: {where}": Sentence("has other texts than experiment.yaml")})
    return {text: words for (_, text), (_, words) in zip(ours, theirs, strict=True)}


def _words(key: str, language: str) -> Mapping[str, str]:
    return _ready_words(key, language) if key in ready_experiments() else {}


@cache
def _ready_words(key: str, language: str) -> Mapping[str, str]:
    return words_of(LIBRARY / key, language) if _path(LIBRARY / key, language).is_file() else {}


def _path(folder: Path, language: str) -> Path:
    return folder / f"experiment.{language}.yaml"


def _texts(value: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    """Yield each text for people with its place: "claims.0.text"; of figures, "published.0.column.1" and "figure.1"."""
    for name in ("title", "question", "mechanism", "published_source"):
        if value.get(name):
            yield name, value[name]
    for each in value["variants"]:
        if each.get("note"):
            yield f"variants.{each['name']}.note", each["note"]
    for place, claim in enumerate(value.get("claims", ())):
        for name in ("text", "published"):
            if claim.get(name):
                yield f"claims.{place}.{name}", claim[name]
    for row in value.get("published", ()):
        for place, (column, figure) in enumerate(row["figures"].items()):
            yield f"published.{row['variant']}.column.{place}", column
            yield f"published.{row['variant']}.figure.{place}", figure
