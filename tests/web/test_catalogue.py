"""web/locale/en/LC_MESSAGES/django.po lists every sentence that people read, for whoever translates them."""

import ast
import re
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest
from django.apps import apps
from django.core.management import call_command
from django.utils.functional import Promise
from pytest_django import Settings

from judge.grading.measures import MEASURES
from judge.grading.reruns import addresses, buffered, fix, line_costs, line_times, timeline
from judge.grading.verdicts import Verdict
from problems.groups.testgroups import DIALECTS

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


def test_what_the_judge_keeps_as_data_is_in_the_catalogue(settings: Settings) -> None:
    told = {*_of_verdicts(), *_of_measures(), *_of_reruns(), *DIALECTS.values()}
    assert told - _messages(Path(settings.BASE_DIR) / CATALOGUE) == set(), "mark them with gettext_noop"


def test_labels_of_choices_are_translated(settings: Settings) -> None:
    labels = list(_labels())
    assert {str(label) for label in labels} >= {"Accepted", "Judging", "Wait for me"}
    assert [label for label in labels if not isinstance(label, Promise)] == []
    assert {str(label) for label in labels} - _messages(Path(settings.BASE_DIR) / CATALOGUE) == set()


def _of_verdicts() -> Iterator[str]:
    for record in (verdict.record for verdict in Verdict):
        texts = (record.meaning, record.sentence, record.when_buffered, record.when_buffered_stopped)
        yield from filter(None, texts)


def _of_measures() -> Iterator[str]:
    for measure in MEASURES:
        yield from (measure.label, measure.explanation)


def _of_reruns() -> Iterator[str]:
    for module in (addresses, buffered, fix, line_costs, line_times, timeline):
        constants = [value for name, value in vars(module).items() if name.isupper() and isinstance(value, str)]
        sentences = [value for value in constants if value.endswith(".")]
        assert sentences, module
        yield from sentences


def _labels() -> Iterator[object]:
    for model in (*apps.get_app_config("judge").get_models(), *apps.get_app_config("problems").get_models()):
        for field in model._meta.concrete_fields:
            yield from (label for _, label in field.choices or ())


def _messages(catalogue: Path) -> set[str]:
    command = ["msgattrib", "--no-obsolete", "--no-wrap", str(catalogue)]
    text = subprocess.run(command, check=True, capture_output=True, text=True).stdout
    return {ast.literal_eval(quoted) for quoted in re.findall(r'^msgid (".*")$', text, re.MULTILINE)}


def _all_but_sources(folder: str, names: list[str]) -> list[str]:
    return [name for name in names if (Path(folder) / name).is_file() and not name.endswith((".py", ".html", ".txt"))]


def _sentences(catalogue: Path) -> list[str]:
    """Its entries without comments, in one order; the first is the header, which has dates."""
    command = ["msgattrib", "--no-obsolete", "--no-location", "--no-wrap", "--sort-output", str(catalogue)]
    text = subprocess.run(command, check=True, capture_output=True, text=True).stdout
    entries = ["\n".join(line for line in entry.splitlines() if line[:1] != "#") for entry in text.split("\n\n")]
    return sorted(entry for entry in entries if not entry.startswith('msgid ""\nmsgstr ""\n"Project'))
