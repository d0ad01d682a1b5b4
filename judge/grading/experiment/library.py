"""Load the ready experiments: folders `library/KEY/` with an `experiment.yaml` and the sources beside it.

The file has the keys of `ExperimentSpec`. In it a variant's `source` is the name of a file beside it, and in the place
of `input` there may be `input_file`, likewise a name. Two variants may name the same file.

Texts in other languages stand in an `experiment.LANGUAGE.yaml` beside it. A spec and its runs keep the English texts,
since a run is of an experiment if both are equal. A page asks `texts_in` for each text that it shows, so a run of an
older spec has every text that still is the same.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from types import MappingProxyType

from judge.grading.experiment.checks import check
from judge.grading.experiment.spec import ExperimentSpec, SpecError, spec_from_json
from problems.format.yamlfile import YamlProblem, parse_yaml
from problems.jsonvalues import JsonError, from_json
from problems.translation import Sentence

LIBRARY = Path(__file__).parent / "library"
_FILE = "experiment.yaml"


@dataclass(frozen=True, kw_only=True, slots=True)
class ClaimTexts:
    """What is said of a claim; `published` as far as the English one has it."""

    text: str
    published: str = ""


@dataclass(frozen=True, kw_only=True, slots=True)
class Texts:
    """The texts of one experiment in another language. Its names of variants and numbers stay as they are."""

    title: str
    question: str
    mechanism: str
    published_source: str
    notes: Mapping[str, str]  # of the variants, by name
    claims: tuple[ClaimTexts, ...]  # in the order of the experiment's
    figures: Mapping[str, str] = field(default_factory=dict)  # published columns and words, by the English ones


@cache
def ready_experiments() -> Mapping[str, ExperimentSpec]:
    """Return every ready experiment by key, in order. Raises SpecError: the library is at fault."""
    return MappingProxyType(read_library(LIBRARY))


def read_library(folder: Path) -> dict[str, ExperimentSpec]:
    """Return the experiments below a folder. Raises SpecError with all errors, by file and key."""
    specs: dict[str, ExperimentSpec] = {}
    problems: dict[str, Sentence] = {}
    for path in sorted(folder.glob(f"*/{_FILE}")):
        try:
            specs[path.parent.name] = _read(path)
        except SpecError as error:
            problems |= {f"{path.parent.name}/{_FILE}: {key}": why for key, why in error.problems.items()}
    if problems:
        raise SpecError(problems)
    return specs


def _read(path: Path) -> ExperimentSpec:
    try:
        value, _ = parse_yaml(path.read_text("utf-8"))
    except (YamlProblem, UnicodeDecodeError) as error:
        raise SpecError({"": Sentence("is no YAML: %(error)s", error=str(error))}) from error
    folder, fields = path.parent, value if isinstance(value, dict) else {}
    if "input_file" in fields:
        fields["input"] = _content(folder, fields.pop("input_file"), "input_file")
    variants = fields.get("variants")
    if isinstance(variants, list):
        fields["variants"] = [
            {**variant, "source": _content(folder, variant["source"], f"variants.{place}.source")}
            if isinstance(variant, dict) and "source" in variant
            else variant
            for place, variant in enumerate(variants)
        ]
    spec = spec_from_json(value)
    check(spec)
    return spec


def _content(folder: Path, name: object, key: str) -> str:
    if not isinstance(name, str) or Path(name).name != name:
        raise SpecError({key: Sentence("must be the name of a file beside experiment.yaml")})
    try:
        return (folder / name).read_text("utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise SpecError({key: Sentence("cannot be read: %(words)s", words=str(error))}) from error


@cache
def texts_in(language: str) -> Mapping[str, str]:
    """Return each text of the ready experiments that exists in this language ("ko"), by the English one.

    Raises SpecError: the library is at fault.
    """
    texts: dict[str, str] = {}
    for key, spec in ready_experiments().items():
        path = LIBRARY / key / f"experiment.{language}.yaml"
        if path in set(path.parent.glob("experiment.*.yaml")):
            texts |= read_texts(path, spec)
    return MappingProxyType(texts)


def read_texts(path: Path, spec: ExperimentSpec) -> dict[str, str]:
    """Return the translations of a file by the English texts of its experiment. Raises SpecError if one is missing."""
    try:
        value, _ = parse_yaml(path.read_text("utf-8"))
        texts = from_json(Texts, value)
    except (YamlProblem, UnicodeDecodeError) as error:
        raise SpecError({path.name: Sentence("is no YAML: %(error)s", error=str(error))}) from error
    except JsonError as error:
        raise SpecError({f"{path.name}: {key}": why for key, why in error.problems.items()}) from error
    translations: dict[str, str] = {}
    for key, english, translation in _pairs(texts, spec):
        if bool(english) != bool(translation):
            why = Sentence("is missing") if english else Sentence("is not known here")
            raise SpecError({f"{path.name}: {key}": why})
        if english:
            translations[english] = translation
    return translations


def _pairs(texts: Texts, spec: ExperimentSpec) -> Iterator[tuple[str, str, str]]:
    """Yield the key of each text, the English one and the translation; "" for what one of the two does not have."""
    for name in ("title", "question", "mechanism", "published_source"):
        yield name, getattr(spec, name), getattr(texts, name)
    notes = {variant.name: variant.note for variant in spec.variants}
    for name in {**notes, **texts.notes}:
        yield f"notes.{name}", notes.get(name, ""), texts.notes.get(name, "")
    for place in range(max(len(spec.claims), len(texts.claims))):
        claim = spec.claims[place] if place < len(spec.claims) else None
        other = texts.claims[place] if place < len(texts.claims) else None
        for name in ("text", "published"):
            yield f"claims.{place}.{name}", getattr(claim, name, ""), getattr(other, name, "")
    words = {text for row in spec.published for figure in row.figures.items() for text in figure}
    for english, translation in texts.figures.items():
        yield f"figures.{english}", english if english in words else "", translation
