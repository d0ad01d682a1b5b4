"""Make one upload of each package in an uploaded set, such as that of a contest.

How it works: the archive of each package is kept under a token of its own. Then one transaction, fenced by the lease of
the set's upload, writes all rows and ends that one, so that a killed worker leaves nothing but archives, which are
swept. A package that cannot be taken out becomes an upload that is refused.
"""

import secrets
from collections.abc import Callable, Iterable, Sequence
from contextlib import closing
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import BinaryIO

from django.db import transaction

from judge.models import PackageUpload
from judge.queue import fairness, wakeup
from judge.queue.leases import Lease, LeaseLost, fenced, write_under_lease
from judge.submissions.intake import hold
from judge.submissions.records import finish
from judge.uploads import archives, caps, uploads
from problems.archive.upload import Member, members_of
from problems.columns import clean_json
from problems.convert.detection import PackageSet
from problems.format.files import printable
from problems.package import PackageError, PackageErrors
from problems.translation import Sentence, listed

_MOST_NAMES = 20  # of files that a sentence lists


@dataclass(frozen=True, kw_only=True, slots=True)
class _Package:
    """A package of the set, kept under its token; or what is wrong with it."""

    name: str
    token: str = ""
    size: int = 0
    unpacked_bytes: int = 0
    errors: Sequence[PackageError] = ()


def take_apart(
    lease: Lease[PackageUpload], archive: BinaryIO, package_set: PackageSet, staging: Path, step: Callable[[str], None]
) -> None:
    """Make the uploads and end the set's. `step` is called with the name of each package before it is kept.

    Raises PackageErrors if none can be made, LeaseLost, StoreUnavailable.
    """
    number = len(package_set.folders) + len(package_set.zips)
    if number > caps.MOST_UNDECIDED:
        why = Sentence(
            "holds %(number)s packages; at most %(most)s are taken at once", number=number, most=caps.MOST_UNDECIDED
        )
        raise PackageErrors([PackageError(package_set.file, "", why)])
    packages: list[_Package] = []
    without_room: list[_Package] = []

    def write() -> PackageUpload:
        without_room.clear()
        with fenced(lease) as row:
            hold(row.owner)
            without_room.extend(_make_uploads(row, packages))
            # what the set's page says beside its list, for `sentence_of`
            remarks = []
            if package_set.others:
                names = listed([printable("/".join(parts)) for parts in package_set.others], _MOST_NAMES)
                remarks.append(Sentence("These files belong to no package and are left out: %(names)s.", names=names))
            if without_room:
                fitted = sum(bool(package.token) for package in packages) - len(without_room)
                remarks.append(caps.fitted(fitted, _names(without_room)))
            row.token, row.columns = "", {"warnings": [clean_json(remark.as_json()) for remark in remarks]}
            finish(row)
            row.save()
            return row

    try:
        with closing(members_of(archive, package_set, staging)) as members:
            for member in members:
                step(member.name)
                packages.append(_kept(member))
    except BaseException:
        _throw_away(packages)
        raise
    try:
        write_under_lease(lease, write)
    except (LeaseLost, PackageErrors):  # nothing is written; after an error of the database it may be
        _throw_away(packages)
        raise
    _throw_away(without_room)
    wakeup.announce(PackageUpload(pk=lease.id), "taken apart")


def _kept(member: Member) -> _Package:
    if member.archive is None:
        return _Package(name=member.name, errors=member.errors)
    with open(str(member.archive), "rb") as archive:  # noqa: PTH123 - `keep` takes the place of a file that has a name
        try:
            unpacked_bytes = uploads.claimed_bytes(archive, member.name)
        except PackageErrors as wrong:
            return _Package(name=member.name, errors=wrong.errors)
        token = secrets.token_hex(16)
        size = archives.keep(archive, token)
    return _Package(name=member.name, token=token, size=size, unpacked_bytes=unpacked_bytes)


def _make_uploads(row: PackageUpload, packages: Iterable[_Package]) -> list[_Package]:
    """Write a row for each package that fits; return the others. Raises PackageErrors if none fits."""
    held, others, fitted = caps.Kept.of(row.owner, besides=row), [], 0
    for package in packages:
        if package.token and held.why_no_more(package.unpacked_bytes):
            others.append(package)
            continue
        upload = PackageUpload(
            owner=row.owner,
            part_of=row,
            name=package.name[:200],
            size=package.size,
            kept_bytes=package.unpacked_bytes,
            token=package.token,
            when_clean=row.when_clean,
        )
        if package.token:
            fitted += 1
            held.add(package.unpacked_bytes)
            fairness.take_turn(upload)
            transaction.on_commit(partial(wakeup.notify, upload))
        else:
            uploads.refuse(upload, upload.name, package.errors)
        upload.save()
    if others and not fitted:
        raise PackageErrors([PackageError(row.name, "", caps.fitted(0, _names(others)))])
    return others


def _names(packages: Iterable[_Package]) -> list[str]:
    return [package.name for package in packages]


def _throw_away(packages: Iterable[_Package]) -> None:
    for package in packages:
        archives.throw_away(package.token)
