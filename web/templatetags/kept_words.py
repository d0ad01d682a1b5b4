"""What rows keep in English, in the reader's language: `{{ spec.title|in_words }}`, `{{ place|destination_name }}`,
`{{ node.meter_problem|meter_problem }}`, `{{ run.status|status_word }}`, `{{ tag|topic_name }}`.
"""

from django import template

from judge.models import Status
from web.presentation.experiments import texts
from web.presentation.kept_words import meter_problem, topic_name

register = template.Library()
register.filter("in_words", texts.in_words)
register.filter("destination_name", texts.destination_name)
register.filter("meter_problem", meter_problem)
register.filter("topic_name", topic_name)


@register.filter
def destination_names(destinations: tuple[str, ...]) -> str:
    """Return the words for the destinations, with commas."""
    return ", ".join(map(texts.destination_name, destinations))


@register.filter
def status_word(status: str) -> str:
    """Return the word for a status in the middle of a line; a verdict, which is a code, as it is."""
    return str(Status(status).label).lower() if status in Status.values else status
