"""From a package to a problem that people see: stored, its statement rendered, its rows written together."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, NotRequired, TypedDict

from django.conf import settings
from django.contrib.auth.models import User
from django.db import transaction
from django.utils.text import slugify

from problems import versions
from problems.interactions import read_turns
from problems.loading import load_package
from problems.models import SETTINGS, Problem, ProblemVersion
from problems.package import Package, PackageError, PackageErrors, SampleInteraction, TestCase
from problems.statement import RenderedStatement, render_statement
from problems.store import PackageMissing, PackageStore

TAKEN_SLUGS = frozenset({"upload", "mine", "new"})  # addresses of web.urls
_SAMPLE_BYTES = 64 * 1024
_TITLE_LENGTH = 200


class Sample(TypedDict):
    """A sample as the page shows it; longer ones are cut, which `is_cut` says."""

    name: str
    input: str
    answer: str
    is_cut: NotRequired[bool]


class Spoken(TypedDict):
    """What one of two said: `speaker` is "program", "interactor", or "" for neither."""

    speaker: str
    text: str


class SampleDialogue(TypedDict):
    """A sample of an interactive problem."""

    name: str
    dialogue: list[Spoken]
    is_cut: NotRequired[bool]


def slug_of(short_name: str) -> str:
    """The slug for a package's short name; "" if it has no letter or digit for one."""
    return slugify(short_name)[:64].strip("-_")


def publish(
    folder_or_package: Path | Package,
    *,
    owner: User | None,
    slug: str | None = None,
    hidden: bool | None = None,
) -> ProblemVersion:
    """Store and publish the package as the current version of the problem `slug` (default: from its short name).

    `owner` None is the library that comes with Tally. `hidden` None leaves a problem as it is, and shows a new one.
    Publishing the same package again changes no version, only what is derived from it. Raises PackageErrors, also when
    the slug belongs to somebody else.
    """
    package = folder_or_package if isinstance(folder_or_package, Package) else load_package(folder_or_package)
    slug = slug or slug_of(package.short_name)
    check_slug(slug, owner, package.short_name)  # before the work; again in the transaction
    columns = describe(package)
    with transaction.atomic():
        versions.hold(package.digest)
        keep(package)
        return release(package.digest, columns, slug=slug, owner=owner, hidden=hidden)


def keep(package: Package) -> None:
    """Put the package into the store. Call in a transaction that holds its digest."""
    store = PackageStore(settings.STORE_DIR)
    if not store.has(package.digest) and store.add(package.path) != package.digest:
        raise PackageMissing(f"the package {package.short_name} changed while it was being published")


def release(
    digest: str, columns: Mapping[str, Any], *, slug: str, owner: User | None, hidden: bool | None = None
) -> ProblemVersion:
    """Publish a stored package, described by `columns`, as the current version of the owner's problem `slug`.

    Call in a transaction that holds the digest. Raises PackageErrors when the slug is no name, or somebody else's.
    """
    check_slug(slug, owner, slug)
    problem, _ = Problem.objects.get_or_create(
        slug=slug, defaults={"title": columns["title"], "owner": owner, "is_hidden": bool(hidden)}
    )
    problem = Problem.objects.select_for_update().get(pk=problem.pk)
    _check_owner(problem, owner)
    version = versions.add(problem, digest, columns, by=owner)
    if hidden is not None:
        problem.is_hidden = hidden
        problem.save(update_fields=["is_hidden"])
    return version


def check_slug(slug: str, owner: User | None, name: str) -> None:
    """Raises PackageErrors, blaming `name`, when a problem of this owner cannot have the slug."""
    if not slug:
        raise PackageErrors([PackageError(name, "", "is no usable name: use letters and digits")])
    if slug in TAKEN_SLUGS:
        raise PackageErrors([PackageError(name, "", "is an address of the site: choose another name")])
    problem = Problem.objects.filter(slug=slug).first()
    if problem is not None:
        _check_owner(problem, owner)


def _check_owner(problem: Problem, owner: User | None) -> None:
    if problem.owner_id != (owner.pk if owner else None):
        raise PackageErrors([PackageError(problem.slug, "", "is the name of a problem of somebody else")])


def describe(package: Package) -> dict[str, Any]:
    """The columns of a version that follow from its package, its statement rendered. Raises PackageErrors."""
    own = {name: getattr(package.limits, name) for name in SETTINGS}
    return {**_derived(package, _render(package)), **own, "own_settings": own}


def _render(package: Package) -> RenderedStatement | None:
    """The first statement (English if there is one) as HTML."""
    if not package.statements:
        return None
    try:
        return render_statement(package.statements[0])
    except PackageError as error:
        raise PackageErrors([error]) from error


def _derived(package: Package, statement: RenderedStatement | None) -> dict[str, Any]:
    return {
        "title": _shown(package.name)[:_TITLE_LENGTH],
        "statement_html": statement.html if statement else "",
        "statement_language": statement.language if statement else "en",
        "samples": _samples(package),
        "is_interactive": package.is_interactive,
        "test_case_count": len(package.test_cases),
        "warnings": [_shown(text) for text in (*package.warnings, *(statement.warnings if statement else ()))],
    }


def _samples(package: Package) -> Sequence[Sample | SampleDialogue]:
    """What the page shows: of an interactive problem conversations only, since its input is not the program's."""
    if package.is_interactive:
        return [_dialogue(interaction) for interaction in package.interactions]
    return [_sample(case) for case in package.test_cases if case.is_sample]


def _dialogue(interaction: SampleInteraction) -> SampleDialogue:
    turns, is_cut = read_turns(interaction.path)
    spoken = [Spoken(speaker=turn.speaker, text=_shown(turn.text)) for turn in turns]
    dialogue = SampleDialogue(name=_shown(interaction.name), dialogue=spoken)
    if is_cut:
        dialogue["is_cut"] = True
    return dialogue


def _sample(case: TestCase) -> Sample:
    given, is_given_cut = _sample_text(case.input)
    answer, is_answer_cut = _sample_text(case.answer)
    sample = Sample(name=_shown(case.name), input=given, answer=answer)
    if is_given_cut or is_answer_cut:
        sample["is_cut"] = True
    return sample


def _sample_text(path: Path) -> tuple[str, bool]:
    with path.open("rb") as file:
        raw = file.read(_SAMPLE_BYTES + 1)
    return _shown(raw[:_SAMPLE_BYTES].decode("utf-8", "replace")), len(raw) > _SAMPLE_BYTES


def _shown(text: str) -> str:
    """The text without NUL, which PostgreSQL does not take."""
    return text.replace("\x00", "\N{SYMBOL FOR NULL}")
