"""Experiments in the reader's language: the ready ones, the words for destinations, those of submissions."""

import re
from dataclasses import replace
from pathlib import Path

import pytest
import yaml
from django.contrib.auth.models import User
from django.test import Client
from django.utils import translation

from judge.grading.experiment.library import LIBRARY, read_texts, ready_experiments, texts_in
from judge.grading.experiment.spec import Compared, SpecError
from judge.models import ExperimentRun
from sandbox.errors import MeterProblem, MeterStop
from tests.web.experiment_rows import make_run
from web.presentation.experiments import texts
from web.presentation.experiments.texts import in_words
from web.presentation.setter.workers import meter_sentence

KEY = "e1-leftover-print"
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


@pytest.mark.django_db
def test_texts_of_a_comparison_of_submissions_are_in_the_readers_language(student: User) -> None:
    assert in_words("Somebody's own title") == "Somebody's own title"
    compared = Compared(submissions=(3, 4), problem="Sum of Two", case="secret/1")
    make_run(student, "submissions", compared=compared)
    (listed,) = ExperimentRun.objects.for_list()
    (run,) = ExperimentRun.objects.all()
    with translation.override("en"):
        assert texts.run_title(listed) == texts.run_title(run) == "Submissions 3, 4 to Sum of Two"
        assert texts.run_question(run) == "What do they take on secret/1, run in turns?"
    with translation.override("ko"):
        assert texts.run_title(listed) == "Sum of Two에 낸 제출 3, 4"
        assert "secret/1" in texts.run_question(run)
    ExperimentRun.objects.update(compared=None)
    assert texts.run_title(ExperimentRun.objects.for_list().get()) == run.spec.title


@pytest.mark.parametrize("code", MeterStop)
def test_why_a_worker_does_not_count_calls_is_told_in_the_readers_language(code: MeterStop) -> None:
    """The same as the sandbox says on the command line."""
    for lacks_capabilities in (False, True):
        problem = MeterProblem(code=code, words="BPF is off", number=7, lacks_capabilities=lacks_capabilities)
        with translation.override("en"):
            assert meter_sentence(problem) == str(problem)
        with translation.override("ko"):
            is_translated = re.search("[가-힣]", meter_sentence(problem)) is not None
        refused = (MeterStop.NOT_LOADED, MeterStop.NOT_ATTACHED, MeterStop.NOT_COUNTING)
        assert is_translated is (code in refused if lacks_capabilities else code is not MeterStop.OTHER)


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
