"""Turn numbers and ids into words, which are made in `web.presentation`: `{{ case.measures.cpu_time_us|duration }}`."""

from django import template

from problems import translation
from web.presentation import units
from web.presentation.result.sentences import language_name

register = template.Library()
register.filter("duration", units.duration)
register.filter("data_size", units.data_size)
register.filter("count", units.count)
register.filter("percent", units.percent)
register.filter("points", units.points)
register.filter("milliseconds", units.limit)
register.filter("ago", units.ago)
register.filter("time_ago", units.time_ago)
register.filter("time_in_full", units.time_in_full)
register.filter("time_in_zone", units.time_in_zone)
register.filter("plural_of", units.plural_of)
register.filter("language_name", language_name)


@register.filter
def capitalised(value: object) -> str:
    """Begin a line with a row's or a label's name."""
    return translation.capitalised(str(value))
