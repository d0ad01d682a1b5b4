"""web/locale/ko/LC_MESSAGES/django.po has every sentence that people read, and no other."""

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
from judge.grading.reruns import again, buffered, endless, fix, line_costs, line_times, timeline, unbuffered
from judge.grading.verdicts import Verdict
from problems.testgroups import DIALECTS

CATALOGUE = Path("web/locale/ko/LC_MESSAGES/django.po")
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
    call_command("makemessages", locale=["ko"], verbosity=0)
    assert _sentences(tmp_path / CATALOGUE) == _sentences(root / CATALOGUE), "run `make messages` and commit"


def test_what_the_judge_keeps_as_data_is_in_the_catalogue(settings: Settings) -> None:
    told = {*_of_verdicts(), *_of_measures(), *_of_reruns(), *DIALECTS.values()}
    assert told - _messages(Path(settings.BASE_DIR) / CATALOGUE) == set(), "mark them with gettext_noop"


def test_errors_of_packages_and_specs_are_sentences(settings: Settings) -> None:
    wrong = [
        f"{path.relative_to(settings.BASE_DIR)}:{call.lineno}"
        for path, call in _calls(Path(settings.BASE_DIR), "problems", "judge")
        for given in _whys(call)
        if _is_plain_text(given)
    ]
    assert wrong == [], "give the reason as problems.translation.Sentence"


def test_templates_of_sentences_are_literals_with_the_values_that_are_given(settings: Settings) -> None:
    wrong, seen = [], 0
    for path, call in _calls(Path(settings.BASE_DIR), *SOURCES):
        if _called(call) not in _TEMPLATES or path.name == "translation.py":
            continue
        templates = call.args[: _TEMPLATES[_called(call)]]
        given = {keyword.arg for keyword in call.keywords}
        for template in templates:
            seen += 1
            if isinstance(template, ast.Constant) and isinstance(template.value, str):
                names = {*re.findall(r"%\((\w+)\)[srd]", template.value)}
                is_right = names == given or None in given  # of `**values` nothing is seen here
            else:
                is_right = isinstance(template, ast.Name | ast.Attribute)  # a constant under gettext_noop
            if not is_right:
                wrong.append(f"{path.relative_to(settings.BASE_DIR)}:{call.lineno}")
    assert seen > 400
    assert wrong == []


@pytest.mark.parametrize(
    ("source", "is_wrong"),
    [
        ('PackageError("a", "b", "is missing")', True),
        ('raise PackageErrors([PackageError("a", "b", f"has {x}")])', True),
        ('report.warn("a", "b", "is " + x)', True),
        ('keys.error("b", "is " "missing" if x else why)', True),
        ('SpecError({"": f"is no YAML: {x}"})', True),
        ('self.problems[key] = Sentence("is missing")', False),
        ('PackageError("a", "b", Sentence("is missing"))', False),
        ('keys.error("b", why)', False),
        ("SpecError({key: why for key, why in found})", False),
        ('_logger.error("could not %s: %s", what, why)', False),
    ],
)
def test_plain_text_as_reason_is_found(source: str, is_wrong: bool) -> None:
    calls = [node for node in ast.walk(ast.parse(source)) if isinstance(node, ast.Call)]
    assert any(_is_plain_text(given) for call in calls for given in _whys(call)) == is_wrong


def test_labels_of_choices_are_translated(settings: Settings) -> None:
    labels = list(_labels())
    assert {str(label) for label in labels} >= {"Accepted", "Judging", "Wait for me"}
    assert [label for label in labels if not isinstance(label, Promise)] == []
    assert {str(label) for label in labels} - _messages(Path(settings.BASE_DIR) / CATALOGUE) == set()


_TEMPLATES = {"Sentence": 1, "CountedSentence": 2}  # how many of the first arguments are templates
_REPORTING = ("error", "warn", "notice")  # of problems.diagnostics.Report, and of Keys, which knows its file


def _calls(root: Path, *rooms: str) -> Iterator[tuple[Path, ast.Call]]:
    for path in (path for room in rooms for path in sorted((root / room).rglob("*.py"))):
        if "library" in path.relative_to(root).parts[:-1] or "migrations" in path.parts:
            continue
        for node in ast.walk(ast.parse(path.read_text())):
            if isinstance(node, ast.Call):
                yield path, node


def _called(call: ast.Call) -> str:
    return call.func.attr if isinstance(call.func, ast.Attribute) else getattr(call.func, "id", "")


def _whys(call: ast.Call) -> list[ast.expr]:
    """Return the arguments that say why: of an error of a package or a spec, or of a report on one."""
    name = _called(call)
    if name == "PackageError":
        return call.args[2:3]
    if name in ("SpecError", "JsonError"):
        return [value for given in call.args if isinstance(given, ast.Dict) for value in given.values]
    is_logger = isinstance(call.func, ast.Attribute) and "logger" in ast.unparse(call.func.value)
    if name in _REPORTING and isinstance(call.func, ast.Attribute) and not is_logger:
        return call.args[-1:]
    return []


def _is_plain_text(given: ast.expr) -> bool:
    """Return whether it is a string, formatted or glued; in a choice, whether one of both is."""
    if isinstance(given, ast.IfExp):
        return _is_plain_text(given.body) or _is_plain_text(given.orelse)
    if isinstance(given, ast.BinOp):
        return _is_plain_text(given.left) or _is_plain_text(given.right)
    return isinstance(given, ast.JoinedStr) or (isinstance(given, ast.Constant) and isinstance(given.value, str))


def _of_verdicts() -> Iterator[str]:
    for record in (verdict.record for verdict in Verdict):
        texts = (record.meaning, record.sentence, record.when_buffered, record.when_buffered_stopped)
        yield from filter(None, texts)


def _of_measures() -> Iterator[str]:
    for measure in MEASURES:
        yield from (measure.label, measure.explanation)


def _of_reruns() -> Iterator[str]:
    for module in (again, buffered, endless, fix, line_costs, line_times, timeline, unbuffered):
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
    """Its entries without comments and translations, in one order; not the header, which has dates."""
    command = ["msgattrib", "--no-obsolete", "--no-location", "--no-wrap", "--sort-output", str(catalogue)]
    text = subprocess.run(command, check=True, capture_output=True, text=True).stdout
    entries = ["\n".join(re.findall(r"^msg(?:ctxt|id).*$", entry, re.MULTILINE)) for entry in text.split("\n\n")]
    return sorted(entry for entry in entries if entry != 'msgid ""')
