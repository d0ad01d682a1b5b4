"""From a package to a problem that people see: stored, its statement rendered, its rows written together."""

from collections.abc import Sequence
from pathlib import Path
from typing import NotRequired, TypedDict

from django.conf import settings
from django.contrib.auth.models import User
from django.db import transaction
from django.utils.text import slugify

from problems.interactions import read_turns
from problems.loading import load_package
from problems.models import Problem, ProblemVersion
from problems.package import Package, PackageError, PackageErrors, SampleInteraction, TestCase
from problems.statement import RenderedStatement, render_statement
from problems.store import PackageStore

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
    if not slug:
        raise PackageErrors([PackageError(package.short_name, "", "is no usable name: use letters and digits")])
    _check_owner(slug, owner, Problem.objects.filter(slug=slug).first())  # before the work; again in the transaction
    statement = _render(package)
    PackageStore(settings.STORE_DIR).add(package.path)
    with transaction.atomic():
        problem, _ = Problem.objects.get_or_create(
            slug=slug, defaults={"title": package.name, "owner": owner, "is_hidden": bool(hidden)}
        )
        problem = Problem.objects.select_for_update().get(pk=problem.pk)
        _check_owner(slug, owner, problem)
        version, _ = ProblemVersion.objects.update_or_create(
            problem=problem,
            digest=package.digest,
            defaults=_derived(package, statement),
            create_defaults={
                **_derived(package, statement),
                "created_by": owner,
                "number": problem.versions.count() + 1,
            },
        )
        problem.title = version.title
        problem.current_version = version
        if hidden is not None:
            problem.is_hidden = hidden
        problem.save(update_fields=["title", "current_version", "is_hidden"])
    return version


def _check_owner(slug: str, owner: User | None, problem: Problem | None) -> None:
    if problem is not None and problem.owner_id != (owner.pk if owner else None):
        why = "is the name of a problem of somebody else: rename the package's folder and upload it again"
        raise PackageErrors([PackageError(slug, "", why)])


def _render(package: Package) -> RenderedStatement | None:
    """The first statement (English if there is one) as HTML."""
    if not package.statements:
        return None
    try:
        return render_statement(package.statements[0])
    except PackageError as error:
        raise PackageErrors([error]) from error


def _derived(package: Package, statement: RenderedStatement | None) -> dict[str, object]:
    limits = package.limits
    return {
        "title": _shown(package.name)[:_TITLE_LENGTH],
        "statement_html": statement.html if statement else "",
        "statement_language": statement.language if statement else "en",
        "samples": _samples(package),
        "is_interactive": package.is_interactive,
        "time_limit_ms": limits.time_limit_ms,
        "memory_bytes": limits.memory_bytes,
        "output_bytes": limits.output_bytes,
        "code_bytes": limits.code_bytes,
        "processes": limits.processes,
        "cores": limits.cores,
        "stdout": limits.stdout,
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
