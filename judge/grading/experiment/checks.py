"""Check a spec before it is run or stored.

Whoever is signed in may write one, and the judge's cores are for students: hence the bounds on runs and times.
"""

from collections.abc import Iterable, Iterator

from judge.grading.experiment.spec import METRICS, ExperimentSpec, SpecError, Variant
from judge.grading.languages import LANGUAGES
from judge.grading.source_text import FalseDeclaration, check_declaration
from problems.names import why_no_name
from problems.translation import Sentence
from sandbox.types import Destination

MOST_VARIANTS = 12
MOST_ROUNDS = 50
MOST_RUNS = 500
MOST_WATCHED_RUNS = 100  # where each keeps a timeline, which is most of its bytes: see `judge.experiments.recording`
MOST_CPU_S = 600  # of all runs together, were each to take as much as it may
CPU_TIME_MS = (100, 10_000)  # of one run: whoever comes meanwhile waits for its end (`engine.run_limits` says how long)
SOURCE_BYTES = 128 * 1024
INPUT_BYTES = 2 * 1024 * 1024
_MOST_ARGS, _ARG_CHARACTERS = 20, 1_000
_NAME_CHARACTERS = 40
_MOST_CLAIMS, _MOST_PUBLISHED, _MOST_FIGURES = 40, 40, 12
_TEXTS = (("title", 200), ("question", 500), ("mechanism", 4_000), ("published_source", 500))
_SETTINGS = {  # least and most
    "cpu_time_ms": CPU_TIME_MS,
    "memory_mib": (16, 2_048),
    "output_mib": (1, 256),
    "processes": (1, 256),
    "cores": (1, 16),
}
_SAMPLE_MS = (10, 10_000)
_DESTINATIONS = tuple(destination.value for destination in Destination)

Problem = tuple[str, Sentence]  # key, half a sentence


def check(spec: ExperimentSpec) -> None:
    """Check sizes, names and total time. Raises SpecError with all errors."""
    problems = problems_of(spec)
    if problems:
        raise SpecError(problems)


def problems_of(spec: ExperimentSpec) -> dict[str, Sentence]:
    """Return the first error of each key, as half a sentence."""
    sentences: dict[str, Sentence] = {}
    for key, why in (
        *_texts(spec),
        *_variants(spec.variants),
        *_destinations_and_input(spec),
        *_settings_and_amount(spec),
        *_claims_and_published(spec),
    ):
        sentences.setdefault(key, why)
    return sentences


def _texts(spec: ExperimentSpec) -> Iterator[Problem]:
    if not spec.title.strip():
        yield "title", Sentence("is missing")
    elif why := why_no_name(spec.title):
        yield "title", why
    for name, most in _TEXTS:
        yield from _text(name, getattr(spec, name), most)


def _text(key: str, text: str, most: int) -> Iterator[Problem]:
    if len(text) > most:
        yield key, _too_long(len(text), most)


def _variants(variants: tuple[Variant, ...]) -> Iterator[Problem]:
    if not 1 <= len(variants) <= MOST_VARIANTS:
        yield "variants", _range(1, MOST_VARIANTS)
    names: set[str] = set()
    for place, variant in enumerate(variants):
        key = f"variants.{place}"
        name = variant.name
        if not name or name != name.strip():
            yield f"{key}.name", Sentence("must be a few visible characters in one line")
        elif why := why_no_name(name):
            yield f"{key}.name", why
        elif len(name) > _NAME_CHARACTERS:
            yield f"{key}.name", _too_long(len(name), _NAME_CHARACTERS)
        elif name in names:
            yield f"{key}.name", Sentence("is the name of another variant too")
        names.add(name)
        if variant.language not in LANGUAGES:
            yield f"{key}.language", _one_of(LANGUAGES)
        if not variant.source.strip():
            yield f"{key}.source", Sentence("is empty")
        elif (size := len(variant.source.encode())) > SOURCE_BYTES:
            yield f"{key}.source", _too_large(size, SOURCE_BYTES)
        elif language := LANGUAGES.get(variant.language):
            try:
                check_declaration(variant.source, language)
            except FalseDeclaration as declaration:
                yield f"{key}.source", declaration.why
        yield from _text(f"{key}.note", variant.note, 500)
        if len(variant.args) > _MOST_ARGS:
            yield f"{key}.args", _at_most(_MOST_ARGS)
        for number, argument in enumerate(variant.args):
            yield from _text(f"{key}.args.{number}", argument, _ARG_CHARACTERS)


def _destinations_and_input(spec: ExperimentSpec) -> Iterator[Problem]:
    if not spec.destinations:
        yield "destinations", Sentence("must be at least one")
    for place, destination in enumerate(spec.destinations):
        if destination not in _DESTINATIONS:
            yield f"destinations.{place}", _one_of(_DESTINATIONS)
        elif destination in spec.destinations[:place]:
            yield f"destinations.{place}", Sentence("is there twice")
    size = len(spec.input.encode())
    if size > INPUT_BYTES:
        yield "input", _too_large(size, INPUT_BYTES)
    if spec.case is not None and spec.input:
        yield "input", Sentence("must be empty where the input is a test case")
    if spec.case is not None:
        yield from _text("case.case", spec.case.case, 200)
        if spec.case.cpu_time_ms < 0:
            yield "case.cpu_time_ms", Sentence("must not be negative")
        if any(variant.args for variant in spec.variants):
            yield "variants", Sentence("must have no arguments where the input is a test case, which has its own")


def _settings_and_amount(spec: ExperimentSpec) -> Iterator[Problem]:
    settings = spec.settings
    for name, (least, most) in _SETTINGS.items():
        if not least <= getattr(settings, name) <= most:
            yield f"settings.{name}", _range(least, most)
    least, most = _SAMPLE_MS
    if settings.sample_ms and not least <= settings.sample_ms <= most:
        why = Sentence("must be 0, or %(least)s to %(most)s", least=f"{least:,}", most=f"{most:,}")
        yield "settings.sample_ms", why
    runs = f"{spec.total_runs:,}"
    if not 1 <= spec.rounds <= MOST_ROUNDS:
        yield "rounds", _range(1, MOST_ROUNDS)
    elif spec.total_runs > MOST_RUNS:
        why = Sentence("make %(runs)s runs in all; at most %(most)s are allowed", runs=runs, most=f"{MOST_RUNS:,}")
        yield "rounds", why
    elif spec.settings.sample_ms and spec.total_runs > MOST_WATCHED_RUNS:
        why = Sentence(
            "make %(runs)s runs in all; at most %(most)s are allowed where each is looked at while it goes on",
            runs=runs,
            most=f"{MOST_WATCHED_RUNS:,}",
        )
        yield "rounds", why
    elif (total_s := spec.total_runs * spec.cpu_time_ms / 1_000) > MOST_CPU_S:
        why = Sentence(
            "are too many: %(runs)s runs of up to %(each)s s are %(total)s s; at most %(most)s s are allowed",
            runs=runs,
            each=f"{spec.cpu_time_ms / 1_000:g}",
            total=f"{total_s:,.0f}",
            most=f"{MOST_CPU_S:,}",
        )
        yield "rounds", why


def _claims_and_published(spec: ExperimentSpec) -> Iterator[Problem]:
    if len(spec.claims) > _MOST_CLAIMS:
        yield "claims", _at_most(_MOST_CLAIMS)
    names = {variant.name for variant in spec.variants}
    for place, claim in enumerate(spec.claims):
        key = f"claims.{place}"
        if claim.metric not in METRICS:
            yield f"{key}.metric", _one_of(METRICS)
        for side in ("more", "less"):
            if getattr(claim, side) not in names:
                yield f"{key}.{side}", Sentence("must be the name of a variant")
        if claim.destination not in spec.destinations:
            yield f"{key}.destination", Sentence("must be one of the experiment's destinations")
        if claim.less_destination and claim.less_destination not in spec.destinations:
            yield f"{key}.less_destination", Sentence("must be one of the experiment's destinations")
        if claim.more == claim.less and claim.less_destination in ("", claim.destination):
            yield key, Sentence("compares a variant with itself")
        if not claim.text.strip():
            yield f"{key}.text", Sentence("is missing")
        yield from _text(f"{key}.text", claim.text, 500)
        yield from _text(f"{key}.published", claim.published, 500)
    if len(spec.published) > _MOST_PUBLISHED:
        yield "published", _at_most(_MOST_PUBLISHED)
    for place, row in enumerate(spec.published):
        key = f"published.{place}"
        if row.variant not in names:
            yield f"{key}.variant", Sentence("must be the name of a variant")
        if len(row.figures) > _MOST_FIGURES:
            yield f"{key}.figures", _at_most(_MOST_FIGURES)
        for column, words in row.figures.items():
            yield from _text(f"{key}.figures", column, _NAME_CHARACTERS)
            yield from _text(f"{key}.figures", words, 200)


def _too_long(characters: int, most: int) -> Sentence:
    return Sentence(
        "has %(number)s characters; at most %(most)s are allowed", number=f"{characters:,}", most=f"{most:,}"
    )


def _too_large(size: int, most: int) -> Sentence:
    return Sentence("has %(number)s bytes; at most %(most)s are allowed", number=f"{size:,}", most=f"{most:,}")


def _range(least: int, most: int) -> Sentence:
    return Sentence("must be %(least)s to %(most)s", least=f"{least:,}", most=f"{most:,}")


def _at_most(most: int) -> Sentence:
    return Sentence("must be at most %(most)s", most=most)


def _one_of(names: Iterable[str]) -> Sentence:
    return Sentence("must be one of %(names)s", names=", ".join(names))
