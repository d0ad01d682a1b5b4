"""Experiments in the reader's language: the ready ones, the words for destinations, those of submissions."""

import ast
import re
from dataclasses import replace
from pathlib import Path

import pytest
import yaml
from django.conf import settings
from django.contrib.auth.models import User
from django.test import Client
from django.utils import translation

from judge.experiments.interleaving import QUESTION, TITLE
from judge.grading.experiment.library import LIBRARY, ready_experiments
from judge.grading.experiment.spec import SpecError
from judge.grading.experiment.texts import read_texts, texts_in
from problems import translation as sentences
from tests.web.experiment_rows import make_run
from web.presentation.experiments import texts
from web.presentation.experiments.texts import in_words
from web.presentation.kept_words import meter_problem

KEY = "e1-leftover-print"
METER = Path(settings.BASE_DIR) / "sandbox" / "meter" / "meter.py"
_CODE = re.compile("`[^`]*`")


def page(client: Client, address: str, language: str = "ko") -> str:
    return client.get(address, headers={"Accept-Language": language}).content.decode()


def test_every_text_of_every_ready_experiment_is_translated() -> None:
    korean = texts_in("ko")
    for spec in ready_experiments().values():
        words = {word for row in spec.published for pair in row.figures.items() for word in pair}
        notes = [variant.note for variant in spec.variants]
        claims = [text for claim in spec.claims for text in (claim.text, claim.published) if text]
        prose = {word for word in words if re.search(r"[A-Za-z]{3}", word)}
        for text in {spec.title, spec.question, spec.mechanism, spec.published_source, *notes, *claims, *prose}:
            assert re.search("[가-힣]", korean[text]) or text.startswith("`print"), text
            assert set(_CODE.findall(text)) == set(_CODE.findall(korean[text])), text


@pytest.mark.django_db
def test_pages_of_an_experiment_speak_the_readers_language(client: Client, student: User) -> None:
    spec = ready_experiments()[KEY]
    client.force_login(student)
    small = replace(spec, variants=spec.variants[:3], claims=spec.claims[:3], published=spec.published[:2])
    run = make_run(student, KEY, small)
    for address in ("/experiments/", f"/experiments/{KEY}/", f"/experiments/{KEY}/change", run_address(run.pk)):
        assert "지우지 않은 출력문의 비용" in page(client, address), address
        assert spec.title not in page(client, address), address
        assert spec.title in page(client, address, "en"), address
    body = page(client, run_address(run.pk))
    assert "<code>flush=True</code>를 주면 Python은 줄마다 따로 씁니다" in body
    assert "절반 이하" in body
    assert "has no text" not in body
    assert run.spec.title == spec.title


def run_address(key: int) -> str:
    return f"/experiments/runs/{key}/"


@pytest.mark.django_db
def test_a_page_says_that_there_is_no_text_in_the_language(client: Client, monkeypatch: pytest.MonkeyPatch) -> None:
    sentence = "This experiment has no text in Korean; this is the English one."
    with translation.override("en"):
        monkeypatch.setattr(texts, "get_language", lambda: "ko")
        assert texts.instead(KEY, ready_experiments()[KEY]) == ""
        monkeypatch.setattr(texts, "texts_in", lambda language: {})
        assert texts.instead(KEY, ready_experiments()[KEY]) == sentence
        assert texts.instead("own-1", ready_experiments()[KEY]) == ""
        assert sentence in client.get(f"/experiments/{KEY}/").content.decode()


def test_texts_of_a_comparison_of_submissions_are_told_again(monkeypatch: pytest.MonkeyPatch) -> None:
    assert in_words("Somebody's own title") == "Somebody's own title"
    korean = {TITLE: "%(problem)s: 제출 %(submissions)s", QUESTION: "%(case)s에서 번갈아 실행하면?"}
    monkeypatch.setattr(sentences, "gettext", korean.__getitem__)
    assert in_words("Submissions 3, 4 to Sum of Two") == "Sum of Two: 제출 3, 4"
    assert in_words("What do they take on secret/1, run in turns?") == "secret/1에서 번갈아 실행하면?"


def test_why_a_worker_does_not_count_calls_is_told_again(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sentences, "gettext", lambda template: f"<{template}>")
    raised = [node.exc for node in ast.walk(ast.parse(METER.read_text())) if isinstance(node, ast.Raise)]
    reasons = [_example(call.args[0]) for call in raised if isinstance(call, ast.Call)]
    assert len(reasons) > 8
    assert [reason for reason in reasons if meter_problem(reason)[:1] != "<"] == []
    assert meter_problem("what an older row has") == "what an older row has"


def _example(words: ast.expr) -> str:
    """The sentence with something for each of its values."""
    parts = words.values if isinstance(words, ast.JoinedStr) else [words]
    return "".join(str(part.value) if isinstance(part, ast.Constant) else "x86" for part in parts)


@pytest.mark.parametrize(
    ("change", "key"),
    [
        (lambda value: value.pop("title"), "title"),
        (lambda value: value["notes"].pop("cpp"), "notes.cpp"),
        (lambda value: value["notes"].update(pascal="?"), "notes.pascal"),
        (lambda value: value["claims"].pop(), "claims.12.text"),
        (lambda value: value["claims"][1].update(published="1 s"), "claims.1.published"),
        (lambda value: value["figures"].update({"No such": "?"}), "figures.No such"),
    ],
)
def test_what_a_translation_lacks_is_told(tmp_path: Path, change: object, key: str) -> None:
    value = yaml.safe_load((LIBRARY / KEY / "experiment.ko.yaml").read_text())
    assert callable(change)
    change(value)
    path = tmp_path / "experiment.ko.yaml"
    path.write_text(yaml.safe_dump(value, allow_unicode=True))
    with pytest.raises(SpecError) as caught:
        read_texts(path, ready_experiments()[KEY])
    assert list(caught.value.problems) == [f"experiment.ko.yaml: {key}"]
