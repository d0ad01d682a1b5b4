"""What asks `web.access`: `{% if user|may_publish %}`, `{% if problem|is_visible_to:user %}`,
`{% problem_link problem %}`.
"""

from collections.abc import Callable
from functools import cache, partial
from html import escape
from typing import cast

from django import template
from django.template.context import Context
from django.utils.safestring import SafeString, mark_safe

from judge.models.audience import assigned_problems
from problems.models import Problem
from web import access
from web.addresses import address_of
from web.guard import Person

_Kept = dict[str, Callable[[], frozenset[int]]]
register = template.Library()
register.filter("may_publish", access.may_publish)
register.filter("may_operate", access.may_operate)
register.filter("may_administer", access.may_administer)
register.filter("reads_every_submission", access.reads_every_submission)


@register.filter
def is_visible_to(problem: Problem, user: Person | None) -> bool:
    """Return whether this person, or somebody without an account, may see the problem."""
    return access.sees_problem(user, problem)


@register.simple_tag(takes_context=True)
def problem_link(context: Context, problem: Problem) -> SafeString:
    """Return the title of a problem, as a link for whoever may see it."""
    title, user = escape(problem.shown_title), context.get("user")
    kept = cast("_Kept", context.render_context)  # for this page
    assigned = kept.setdefault("assigned", cache(partial(assigned_problems, user)))
    if not access.sees_problem(user, problem, assigned):
        return mark_safe(title)  # noqa: S308 - escaped
    return mark_safe(f'<a href="{escape(address_of("problem", problem.slug))}">{title}</a>')  # noqa: S308 - escaped
