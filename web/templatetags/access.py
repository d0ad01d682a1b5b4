"""Filters that ask `web.access`: `{% if user|may_publish %}`, `{% if problem|is_visible_to:user %}`."""

from django import template

from problems.models import Problem
from web import access
from web.guard import Person

register = template.Library()
register.filter("may_publish", access.may_publish)
register.filter("may_operate", access.may_operate)
register.filter("reads_every_submission", access.reads_every_submission)


@register.filter
def is_visible_to(problem: Problem, user: Person | None) -> bool:
    """Return whether this person, or a student without a name, may see the problem."""
    return access.sees_problem(user, problem)
