"""What rows keep as codes, in the reader's language; and what pages ask of reports and uploads."""

from django import template

from judge.models import Status
from judge.observability.counting import kind_of
from judge.uploads import caps
from problems.translation import sentence_of, translated
from web.presentation.experiments import texts
from web.presentation.setter.verification import short_language, verification_shown
from web.presentation.setter.workers import meter_sentence
from web.presentation.topics import topic_name

register = template.Library()
register.filter("in_words", texts.in_words)
register.filter("destination_name", texts.destination_name)
register.filter("run_title", texts.run_title)
register.filter("meter_sentence", meter_sentence)
register.filter("topic_name", topic_name)
register.filter("kind_of", kind_of)
register.filter("goes_at", caps.goes_at)
register.filter("verification", verification_shown)
register.filter("short_language", short_language)


@register.filter
def sentence(record: object) -> str:
    """Return a sentence that a row keeps as template and values, or only as text."""
    return str(translated(sentence_of(record)))


@register.filter
def destination_names(destinations: tuple[str, ...]) -> str:
    """Return the words for the destinations, with commas."""
    return ", ".join(map(texts.destination_name, destinations))


@register.filter
def status_word(status: str) -> str:
    """Return the word for a status in the middle of a line; a verdict, which is a code, as it is."""
    return str(Status(status).label).lower() if status in Status.values else status
