"""web/locale/en/LC_MESSAGES/django.po lists every sentence that people read, for whoever translates them."""

import shutil
import subprocess
from pathlib import Path

import pytest
from django.core.management import call_command
from pytest_django import Settings

CATALOGUE = Path("web/locale/en/LC_MESSAGES/django.po")
SOURCES = ("web", "judge", "problems")


def test_catalogue_is_what_make_messages_finds(
    tmp_path: Path, settings: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    root = Path(settings.BASE_DIR)
    for name in SOURCES:
        shutil.copytree(root / name, tmp_path / name, ignore=_all_but_sources)
    (tmp_path / CATALOGUE).parent.mkdir(parents=True, exist_ok=True)
    settings.LOCALE_PATHS = [tmp_path / "web" / "locale"]
    monkeypatch.chdir(tmp_path)
    call_command("makemessages", locale=["en"], verbosity=0)
    assert _sentences(tmp_path / CATALOGUE) == _sentences(root / CATALOGUE), "run `make messages` and commit"


def _all_but_sources(folder: str, names: list[str]) -> list[str]:
    return [name for name in names if (Path(folder) / name).is_file() and not name.endswith((".py", ".html"))]


def _sentences(catalogue: Path) -> list[str]:
    """Its entries without comments, in one order; the first is the header, which has dates."""
    command = ["msgattrib", "--no-obsolete", "--no-location", "--no-wrap", "--sort-output", str(catalogue)]
    text = subprocess.run(command, check=True, capture_output=True, text=True).stdout
    entries = ["\n".join(line for line in entry.splitlines() if line[:1] != "#") for entry in text.split("\n\n")]
    return sorted(entry for entry in entries if not entry.startswith('msgid ""\nmsgstr ""\n"Project'))
