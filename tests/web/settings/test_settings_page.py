"""docs/settings.md names every variable that is read, and none that is not, with its default."""

import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from django.conf import settings

from tests.web.fresh import fresh_settings
from web.settings import environment

_READ = re.compile(r'"((?:TALLY|AWS)_[A-Z_]+|DATABASE_URL|REDIS_URL)"')
_IN_WORDS = {"TALLY_VAR_DIR", "TALLY_WEB_PROCESSES"}  # their defaults depend on where and on what Tally runs
_UNITS = {1024**3: "GiB", 1024**2: "MiB", 1024: "KiB"}
_ROW = re.compile(r"^\| (`[^|]*) \|", re.MULTILINE)


def test_every_setting_is_described_and_no_other() -> None:
    root = Path(settings.BASE_DIR)
    read = {name for file in (root / "web").glob("**/*.py") for name in _READ.findall(file.read_text())}
    described = set(re.findall(r"`([A-Z_]+)`", " ".join(_ROW.findall((root / "docs" / "settings.md").read_text()))))
    assert described == read
    assert len(read) > 20


def test_files_are_offered_for_exactly_the_secrets() -> None:
    root = Path(settings.BASE_DIR)
    code = "".join(file.read_text() for file in (root / "web").glob("**/*.py"))
    secrets = set(re.findall(r'secret\("([A-Z_]+)"', code))
    rows = " ".join(_ROW.findall((root / "docs" / "settings.md").read_text()))
    assert set(re.findall(r"`([A-Z_]+)` \(file\)", rows)) == secrets


def test_defaults_are_those_of_the_settings(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    read: dict[str, object] = {}

    def noting(reader: Callable[..., Any]) -> Callable[..., Any]:
        def note(name: str, default: object = "", *args: Any, **kwargs: Any) -> object:
            read[name] = default
            return reader(name, default, *args, **kwargs)

        return note

    for name in ("text", "integer", "boolean", "choice", "words", "networks"):
        monkeypatch.setattr(environment, name, noting(getattr(environment, name)))
    fresh_settings(monkeypatch, tmp_path)
    simple = {name: value for name, value in read.items() if name.startswith("TALLY_") and name not in _IN_WORDS}
    described = _defaults()
    assert {name: described[name] for name in simple} == {name: _written(value) for name, value in simple.items()}
    assert len(simple) > 20


def _defaults() -> dict[str, str]:
    """What the page says of each variable; of a row with several variables their defaults stand in the same order."""
    page = (Path(settings.BASE_DIR) / "docs" / "settings.md").read_text()
    found: dict[str, str] = {}
    for names, default in re.findall(r"^\| (`[^|]*) \| ([^|]*) \|", page, re.MULTILINE):
        variables = re.findall(r"`(\w+)`", names)
        default = re.sub(r"(?<=\d),(?=\d{3}$)", "", default)  # of 2,000
        values = default.split(", ") if len(variables) > 1 else [default]
        found |= dict(zip(variables, values, strict=len(variables) == len(values)))
    return found


def _written(value: object) -> str:
    if isinstance(value, bool):
        return str(int(value))
    if isinstance(value, int) and value:
        unit = next((each for each in _UNITS if value % each == 0), None)
        return f"{value // unit} {_UNITS[unit]}" if unit else str(value)
    text = str(value)
    return f"`{text}`" if text.startswith("/") else text.replace(",", ", ") or "none"
