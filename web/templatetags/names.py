"""The names of things in the reader's language: `{{ problem|title_of }}`, `{{ run|run_title }}`,
`{{ destination|destination_name }}`.
"""

from django import template
from django.utils.translation import get_language

from problems.models import Problem
from web.presentation.experiments.listing import destination_name, run_title

register = template.Library()
register.filter("destination_name", destination_name)
register.filter("run_title", run_title)


@register.filter
def title_of(problem: Problem) -> str:
    """Return the problem's title in the interface's language, else its own. In lists, `titled_in` has read it."""
    return problem.title_in(get_language() or "")
