"""The versions of a problem: numbers, settings, and the current one.

How it works: a version's row never changes, but for what is derived from its package (a statement rendered anew). The
problem's row is locked while a version is added, so numbers continue and nobody is told of half a change. A version
that is already there, of the same package and the same settings, is taken again instead of a new one.
"""

from collections.abc import Mapping
from typing import Any

from django.contrib.auth.models import User
from django.db import connection, transaction
from django.db.models import Max

from problems.models import SETTINGS, Problem, ProblemVersion

BY_DIALECT = "by_dialect"  # the columns that follow from a setting, by its values


def hold(digest: str) -> None:
    """Wait until nobody else adds or removes the stored package of this digest; holds it until the transaction ends.

    The transaction may then take its time with the package, which goes to another host: its connection stays meanwhile.
    """
    with connection.cursor() as cursor:
        cursor.execute("SET LOCAL idle_in_transaction_session_timeout = 0")
        cursor.execute("SELECT pg_advisory_xact_lock(%s)", [int(digest[:15], 16)])


def add(problem: Problem, digest: str, columns: Mapping[str, Any], by: User | None) -> ProblemVersion:
    """Make a stored package the problem's current version. Call in a transaction that holds the digest.

    `columns` are those that follow from the package, and BY_DIALECT (`publishing.describe`). What the instructor chose
    for the version before stays chosen.
    """
    _lock(problem)
    before = problem.current_version
    chosen = before.chosen_settings if before else {}
    own = {"score_dialect": "", **columns}  # what waits since the version before has none
    by_dialect = own.pop(BY_DIALECT, {})
    if not own["score_dialect"]:  # in this package there is nothing to choose
        chosen.pop("score_dialect", None)
    following = by_dialect.get(chosen.get("score_dialect"), {})
    return _make_current(problem, digest, {**own, **following, **chosen}, by)


def unsaved(digest: str, columns: Mapping[str, Any]) -> ProblemVersion:
    """Return the version that these columns would make, for its page before it is published."""
    columns_of_rows = {*_FOLLOWING, *SETTINGS}
    return ProblemVersion(digest=digest, **_typed({name: columns[name] for name in columns.keys() & columns_of_rows}))


@transaction.atomic
def choose(
    problem: Problem, chosen: Mapping[str, Any], by: User | None, following: Mapping[str, Any] | None = None
) -> ProblemVersion:
    """Return the current version with these settings and the package's others; a new one unless an equal one exists.

    `following` are columns that follow from the settings. Raises ProblemVersion.DoesNotExist for a problem without a
    version.
    """
    _lock(problem)
    if problem.current_version is None:
        raise ProblemVersion.DoesNotExist
    before = problem.current_version
    own = before.package_settings
    columns = {name: getattr(before, name) for name in _FOLLOWING} | {"own_settings": own}
    return _make_current(problem, before.digest, {**columns, **(following or {}), **own, **chosen}, by)


@transaction.atomic
def go_back(problem: Problem, number: int) -> ProblemVersion:
    """Make an earlier version current, with its settings. Raises ProblemVersion.DoesNotExist."""
    _lock(problem)
    return _point_at(problem, problem.versions.get(number=number))


def _make_current(problem: Problem, digest: str, columns: Mapping[str, Any], by: User | None) -> ProblemVersion:
    settings = {name: columns[name] for name in SETTINGS}
    columns = _typed(columns)
    version = problem.versions.filter(digest=digest, **settings).order_by("number").last()
    if version is None:
        number = (problem.versions.aggregate(last=Max("number"))["last"] or 0) + 1
        version = problem.versions.create(digest=digest, number=number, created_by=by, **columns)
    else:
        for name in _FOLLOWING:
            if name in columns:
                setattr(version, name, columns[name])
        version.save()
    return _point_at(problem, version)


def _typed(columns: Mapping[str, Any]) -> dict[str, Any]:
    """Return the values of columns that an upload may have kept as JSON."""
    fields = {field.name: field for field in ProblemVersion._meta.fields}
    return {name: fields[name].to_python(value) for name, value in columns.items()}


def _point_at(problem: Problem, version: ProblemVersion) -> ProblemVersion:
    problem.current_version = version
    problem.title = version.title
    problem.save(update_fields=["current_version", "title"])
    return version


def _lock(problem: Problem) -> None:
    problem.refresh_from_db(from_queryset=Problem.objects.select_for_update())


_OF_THE_ROW = {"id", "problem", "number", "digest", "created_at", "created_by", *SETTINGS}
# the columns that follow from the package
_FOLLOWING = tuple(field.name for field in ProblemVersion._meta.fields if field.name not in _OF_THE_ROW)
