"""What asks `web.access`, and numbers of submissions as exactly as their pages tell them.

The rows of these come from `web.access.visibility.with_rounding`.
"""

from collections.abc import Callable
from functools import cache, partial
from typing import cast

from django import template
from django.template.context import Context
from django.urls import reverse
from django.utils.html import format_html

from judge.models import Submission
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


@register.filter
def cpu_time_for(submission: Submission, user: Person) -> int | None:
    """Return the CPU time of the slowest case; None when there is none."""
    used = submission.max_cpu_time_us
    rounding = access.sight_of(user, submission.problem).rounding_of_hidden(submission.problem_version)
    return None if used is None else rounding.cpu_time_us(used)


@register.filter
def memory_for(submission: Submission, user: Person) -> int | None:
    """Return the largest peak of memory; None when there is none."""
    used = submission.max_peak_memory_bytes
    rounding = access.sight_of(user, submission.problem).rounding_of_hidden(submission.problem_version)
    return None if used is None else rounding.memory_bytes(used)
