"""A small package as a zip, for what happens to uploads."""

import io
import zipfile
from collections.abc import Mapping

_WRITTEN = (2026, 1, 1, 0, 0, 0)
FILES = {
    "problem.yaml": "name: Twice\nlimits:\n  memory: 64\n",
    "problem_statement/problem.en.md": "Read *n*, print 2n. <script>alert(1)</script>",
    "data/sample/1.in": "2\n",
    "data/sample/1.ans": "4\n",
    "data/secret/1.in": "21\n",
    "data/secret/1.ans": "42\n",
    "submissions/accepted/a.py": "print(2 * int(input()))\n",
}


def packed(changes: Mapping[str, str | bytes | None] | None = None, *, folder: str = "double") -> bytes:
    """The package with these files in the place of its own; None leaves one out."""
    files: dict[str, str | bytes | None] = {**FILES, **(changes or {})}
    return zipped({f"{folder}/{name}": text for name, text in files.items() if text is not None})


def zipped(files: Mapping[str, str | bytes]) -> bytes:
    """These files as a zip, whose bytes are the same at any time."""
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, text in files.items():
            entry = zipfile.ZipInfo(name, _WRITTEN)
            entry.external_attr = 0o600 << 16
            archive.writestr(entry, text, zipfile.ZIP_DEFLATED)
    return buffer.getvalue()
