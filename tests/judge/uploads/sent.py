"""Sending a package in, and what then lies there."""

import io

from django.contrib.auth.models import User

from judge.models import PackageUpload
from judge.uploads import archives, uploads
from tests.judge.packed import packed


def received(author: User, content: bytes = b"", **how: object) -> PackageUpload:
    """The upload of a package with this content."""
    return uploads.receive(io.BytesIO(content or packed()), name="double.zip", owner=author, **how)  # type: ignore[arg-type]


def lying() -> list[str]:
    """The names of what is kept of packages that were sent."""
    return [path.name for path in archives.incoming().iterdir()]
