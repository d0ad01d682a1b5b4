"""Sentences of the judge for readers of another language, and whose translator is asked."""

from collections.abc import Iterator

import pytest
from django.utils import translation as django

from judge.grading.languages import CPP, LANGUAGES, Language, source_problem
from judge.grading.measures import BY_NAME
from judge.grading.verdicts import Verdict
from problems import translation
from problems.translation import gettext_noop
from tests.judge.grading.explain.test_explain import ENDL, MANY_WRITES, facts
from tests.judge.spoken import findings


@pytest.fixture
def _in_capitals() -> Iterator[None]:
    def several(singular: str, plural: str, number: int) -> str:
        return _loud(singular if number == 1 else plural)

    translation.use(_loud, several)
    yield
    translation.use(django.gettext, django.ngettext)


def _loud(sentence: str) -> str:
    """In capitals, but for the placeholders."""
    parts = sentence.replace("}", "{").split("{")
    return "".join(f"{{{part}}}" if place % 2 else part.upper() for place, part in enumerate(parts))


@pytest.mark.usefixtures("_in_capitals")
def test_whole_sentences_are_translated_and_numbers_are_put_in_afterwards() -> None:
    told = findings(facts(MANY_WRITES, source=ENDL))["flush-per-line"]
    assert told.text == (
        "YOUR PROGRAM MADE 3,000,000 WRITE CALLS OF 2 BYTES ON AVERAGE ON secret/1 BEFORE IT WAS STOPPED; 78 % OF ITS "
        "CPU TIME (0.94 s OF 1.20 s) WAS SPENT IN THE KERNEL."
    )
    assert told.advice == "`ENDL` FLUSHES EACH TIME: WRITE `'\\N'` INSTEAD."


@pytest.mark.usefixtures("_in_capitals")
def test_words_of_tables_are_translated_when_they_are_shown_and_english_is_kept() -> None:
    assert (Verdict.TLE.meaning, Verdict.TLE.record.meaning) == ("TIME LIMIT EXCEEDED", "Time limit exceeded")
    assert (BY_NAME["peak_memory_bytes"].title, BY_NAME["peak_memory_bytes"].label) == ("PEAK MEMORY", "peak memory")


@pytest.mark.usefixtures("_in_capitals")
def test_what_is_wrong_with_a_source_is_told_in_the_language_of_its_author() -> None:
    assert source_problem(b"", 10) == "THE SOURCE IS EMPTY."
    assert source_problem(b"x" * 1_200, 1_000) == "THE SOURCE HAS 1,200 BYTES; AT MOST 1,000 ARE ALLOWED."


def test_the_site_asks_django_and_english_comes_out_as_written() -> None:
    assert translation._gettext is django.gettext
    assert translation._ngettext is django.ngettext
    assert translation.gettext("It waited.") == gettext_noop("It waited.") == "It waited."
    assert translation.ngettext("{count} line", "{count} lines", 1) == "{count} line"


@pytest.mark.parametrize("language", LANGUAGES.values(), ids=lambda language: language.id)
def test_each_language_advises_in_whole_sentences(language: Language) -> None:
    advice = language.advice
    sentences = [advice.allocation, advice.larger_reads, advice.stderr, advice.keeps_question]
    for sentence in [*sentences, *advice.constructs.values(), *advice.signals.values()]:
        assert sentence.endswith("."), sentence
    assert advice.constructs, language.id
    assert CPP.advice.signals.keys() == {"SIGILL", "SIGFPE"}
