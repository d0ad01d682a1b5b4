"""What asks `web.access`: `{% if user|may_publish %}`, `{% if problem|is_visible_to:user %}`,
`{% problem_link problem %}`.
"""

from collections.abc import Callable
from functools import cache, partial
from typing import cast

from django import template
from django.template.context import Context
from django.urls import reverse
from django.utils.html import format_html

from judge.models.assignments import assigned_problems
from problems.models import Problem
from web import access
from web.access.guard import Person

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
def problem_link(context: Context, problem: Problem) -> str:
    """Return the title of a problem, as a link for whoever may see it."""
    page = cast("_Kept", context.render_context)  # for this page
    user = context.get("user")
    assigned = page.setdefault("assigned", cache(partial(assigned_problems, user)))
    if not access.sees_problem(user, problem, assigned):
        return problem.shown_title
    return format_html('<a href="{}">{}</a>', reverse("problem", args=[problem.slug]), problem.shown_title)
