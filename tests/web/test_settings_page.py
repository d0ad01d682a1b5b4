"""docs/settings.md names every variable that is read, and none that is not."""

import re
from pathlib import Path

from django.conf import settings

_READ = re.compile(r'"((?:TALLY|AWS)_[A-Z_]+|DATABASE_URL|REDIS_URL)"')
_ROW = re.compile(r"^\| (`[^|]*) \|", re.MULTILINE)


def test_every_setting_is_described_and_no_other() -> None:
    root = Path(settings.BASE_DIR)
    read = {name for file in (root / "web").glob("*.py") for name in _READ.findall(file.read_text())}
    described = set(re.findall(r"`([A-Z_]+)`", " ".join(_ROW.findall((root / "docs" / "settings.md").read_text()))))
    assert described == read
    assert len(read) > 20


def test_files_are_offered_for_exactly_the_secrets() -> None:
    root = Path(settings.BASE_DIR)
    code = "".join(file.read_text() for file in (root / "web").glob("*.py"))
    secrets = set(re.findall(r'secret\("([A-Z_]+)"', code))
    rows = " ".join(_ROW.findall((root / "docs" / "settings.md").read_text()))
    assert set(re.findall(r"`([A-Z_]+)` \(file\)", rows)) == secrets
