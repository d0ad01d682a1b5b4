"""An uploaded archive on its way to a published problem: unpacked, read, its validator tried, then published.

How it works: all of it happens while the uploader waits, so the validator is tried on few samples and with little time.
Until the last step everything lies in a staging folder that is removed at the end; a package with any mistake leaves
nothing.
"""

from dataclasses import replace
from typing import BinaryIO, cast

from django.conf import settings
from django.contrib.auth.models import User
from django.core.files.uploadedfile import UploadedFile

from judge.checking import check_validator
from problems.loading import load_package
from problems.models import ProblemVersion
from problems.package import Package, PackageError, PackageErrors
from problems.publishing import publish, slug_of
from problems.upload import staged_package
from sandbox.errors import JailError
from sandbox.nsjail import NsjailSandbox

_TRIED_CASES = 5
_TRIED_MS = 10_000  # for the validator on one case
_TAKEN_SLUGS = frozenset({"upload"})  # of web.urls


def publish_archive(archive: "UploadedFile[bytes]", *, owner: User, is_hidden: bool) -> ProblemVersion:
    """Publish the package in the archive.

    Raises PackageErrors with all that is wrong with it, SandboxError when this machine cannot try its validator.
    """
    staging = settings.VAR_DIR / "staging"
    with staged_package(cast(BinaryIO, archive.file), staging_root=staging, name=archive.name) as staged:
        package = load_package(staged.folder)
        package = replace(package, warnings=(*staged.warnings, *package.warnings))
        if slug_of(package.short_name) in _TAKEN_SLUGS:
            why = "is an address of the site: rename the package's folder"
            raise PackageErrors([PackageError(package.short_name, "", why)])
        _try_validator(package)
        return publish(package, owner=owner, hidden=is_hidden)


def _try_validator(package: Package) -> None:
    """Raises PackageErrors, SandboxError."""
    if package.output_validator is None:
        return
    limits = replace(package.limits, validation_time_ms=min(_TRIED_MS, package.limits.validation_time_ms))
    hasty = replace(package, limits=limits, test_cases=package.test_cases[:_TRIED_CASES])
    errors = check_validator(hasty, _open_sandbox(), settings.WORK_DIR)
    if errors:
        raise PackageErrors(errors)


def _open_sandbox() -> NsjailSandbox:
    """Raises SandboxError, also when this process may not even write to the work folder."""
    try:
        return NsjailSandbox(settings.WORK_DIR)
    except OSError as error:
        raise JailError(f"{error}; opening a jail needs root") from error
