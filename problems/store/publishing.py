"""Publish a package: store it, render its statement, write its rows together."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from django.contrib.auth.models import User
from django.db import transaction
from django.utils.text import slugify

from problems import versions
from problems.groups.points import columns_by_dialect, scoring_columns
from problems.loading.loading import load_package
from problems.models import SETTINGS, Audience, Problem, ProblemVersion
from problems.package import Package, PackageError, PackageErrors
from problems.statement.rendering import RenderedPackage, render_package
from problems.statement.samples import shown
from problems.store.store import PackageMissing
from problems.store.stores import package_store
from problems.translation import Sentence

TAKEN_SLUGS = frozenset({"upload", "mine", "new", "preview"})  # addresses of web.urls
# why a problem cannot have a slug
NO_NAME = Sentence("gives no address: an address has only a to z, 0 to 9 and hyphens")
SITES_ADDRESS = Sentence("is an address of the site")
OTHERS_NAME = Sentence("is the name of a problem of somebody else")
_TITLE_LENGTH, _SOURCE_LENGTH, _CREDITS_LENGTH = 200, 300, 500  # of the columns


def slug_of(short_name: str) -> str:
    """Return the slug for a package's short name; "" if it has none of the letters and digits that a slug has."""
    return slugify(short_name)[:64].strip("-_")


def publish(
    folder_or_package: Path | Package, *, owner: User | None, slug: str | None = None, audience: Audience | None = None
) -> ProblemVersion:
    """Store and publish the package as the current version of the problem `slug` (default: from its short name).

    `owner` None is the library that comes with Tally. `audience` None leaves a problem as it is, and a new one is for
    everybody. Publishing the same package again changes no version, only what is derived from it. Raises PackageErrors,
    also when the slug belongs to somebody else.
    """
    package = folder_or_package if isinstance(folder_or_package, Package) else load_package(folder_or_package)
    slug = slug or slug_of(package.short_name)
    check_slug(slug, owner, package.short_name)  # before the work; again in the transaction
    columns = describe(package)
    with transaction.atomic():
        versions.hold(package.digest)
        keep(package)
        return release(package.digest, columns, slug=slug, owner=owner, audience=audience)


def keep(package: Package) -> None:
    """Put the package into the store, replacing a damaged copy.

    Call in a transaction that holds its digest. Raises StoreUnavailable.
    """
    store = package_store()
    is_kept = store.has(package.digest) and not store.is_damaged(package.digest)
    if not is_kept and store.add(package.path) != package.digest:
        raise PackageMissing(f"the package {package.short_name} changed while it was being published")


def release(
    digest: str,
    columns: Mapping[str, Any],
    *,
    slug: str,
    owner: User | None,
    by: User | None = None,
    audience: Audience | None = None,
) -> ProblemVersion:
    """Publish a stored package, described by `columns`, as the current version of the owner's problem `slug`.

    `by` is who does it, if that is not the owner. Call in a transaction that holds the digest. Raises PackageErrors
    when the slug is no name, or somebody else's.
    """
    check_slug(slug, owner, slug)
    new = {"title": columns["title"], "owner": owner, "audience": audience or Audience.EVERYBODY}
    problem, _ = Problem.objects.get_or_create(slug=slug, defaults=new)
    problem = Problem.objects.select_for_update().get(pk=problem.pk)
    _check_owner(problem, owner)
    version = versions.add(problem, digest, columns, by=by or owner)
    if audience is not None:
        problem.audience = audience
        problem.save(update_fields=["audience"])
    return version


def choose_settings(problem: Problem, chosen: Mapping[str, Any], by: User | None) -> ProblemVersion:
    """Call `versions.choose`, and update the points of groups if the settings change how they are read.

    Raises ProblemVersion.DoesNotExist, StoreUnavailable.
    """
    before, following = problem.current_version, None
    dialect = {**before.package_settings, **chosen}["score_dialect"] if before else ""
    if before and dialect != before.score_dialect:
        with package_store().using(before.digest) as package:
            following = columns_by_dialect(package).get(dialect)
    return versions.choose(problem, chosen, by, following)


def check_slug(slug: str, owner: User | None, name: str) -> None:
    """Raise PackageErrors, blaming `name`, when a problem of this owner cannot have the slug."""
    if not slug:
        raise PackageErrors([PackageError(name, "", NO_NAME)])
    if slug in TAKEN_SLUGS:
        raise PackageErrors([PackageError(name, "", SITES_ADDRESS)])
    problem = Problem.objects.filter(slug=slug).first()
    if problem is not None:
        _check_owner(problem, owner)


def _check_owner(problem: Problem, owner: User | None) -> None:
    if problem.owner_id != (owner.pk if owner else None):
        raise PackageErrors([PackageError(problem.slug, "", OTHERS_NAME)])


def describe(package: Package, page: RenderedPackage | None = None) -> dict[str, Any]:
    """Return the package's columns for `versions.add`, with rendered statements: `page`, if these are rendered already.

    Raises PackageErrors.
    """
    own = {name: getattr(package.limits, name) for name in SETTINGS}
    page = page or render_package(package)
    return {
        "title": page.title[:_TITLE_LENGTH],
        "statement_html": page.html,
        "statement_language": page.language,
        "translations": page.translations,
        "files": page.files,
        "samples": page.samples,
        "is_interactive": package.is_interactive,
        "languages": list(package.languages) if package.languages is not None else None,
        "source": shown(package.source)[:_SOURCE_LENGTH],
        "credits": package.credits[:_CREDITS_LENGTH],
        "attribution": package.credits.with_values(lambda text: text[:_CREDITS_LENGTH]).as_json(),
        "keywords": list(package.keywords),
        "most_passes": package.most_passes,
        "test_case_count": len(package.test_cases),
        "submitted": {
            language: {"name": file.name, "usual": file.usual, "taken": list(file.reserved)}
            for language, file in package.submitted.items()
        },
        "starters": {language: file.starter for language, file in package.submitted.items() if file.starter},
        "has_growth_generator": package.growth_generator is not None,
        **scoring_columns(package),
        "warnings": [warning.with_values(shown).as_json() for warning in (*package.warnings, *page.warnings)],
        **own,
        "own_settings": own,
        versions.BY_DIALECT: columns_by_dialect(package),
    }
