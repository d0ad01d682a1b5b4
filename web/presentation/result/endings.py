"""How a case that failed ended, for one reader: as values, and as safe HTML with the line linked."""

from dataclasses import replace

from django.utils.html import format_html, format_html_join
from django.utils.safestring import SafeString

from judge.grading.case_ending import CaseEnding
from judge.grading.ending_words import line_in_words, sentences_of_end
from judge.grading.languages import LANGUAGES
from judge.grading.verdicts import Verdict
from judge.models import TestCaseResult
from web.presentation.visible import visible_text, with_code


def ending_of_row(result: TestCaseResult, language_id: str, *, sees_all: bool) -> CaseEnding | None:
    """Return how a case ended that ran and failed, as its reader may see it; None of any other case."""
    if result.verdict != Verdict.RE:
        return None
    ending = result.ending
    if ending is None or ending.how is None:
        return None
    if result.is_sample:
        return ending
    if sees_all:  # of a hidden case the row's ending has no more than contestants see
        return replace(ending, exit_code=result.exit_code if ending.exit_code is None else ending.exit_code)
    language = LANGUAGES.get(language_id)
    return ending.bounded(language.known_errors if language else frozenset())


def end_html(ending: CaseEnding | None, language_id: str, case: str, source_address: str = "") -> SafeString:
    """Return the sentences on how a case ended; empty for none. `case` names it, and may be a link."""
    if ending is None:
        return SafeString()
    line = format_html('<a href="{}#L{}">{}</a>', source_address, ending.place, line_in_words(ending.place))
    sentences = (
        format_html(
            with_code(sentence.template),
            case=case,
            line=line,
            **{name: with_code(value) for name, value in sentence.values.items()},
            **{name: format_html("<code>{}</code>", visible_text(words)) for name, words in sentence.quotes.items()},
        )
        for sentence in sentences_of_end(ending, LANGUAGES.get(language_id))
    )
    return format_html_join(" ", "{}", ((sentence,) for sentence in sentences))
