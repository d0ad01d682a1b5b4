"""Filters for lists of submissions: `{{ submission|cpu_time_for:user|duration }}`, as exactly as its page tells it.

The rows come from `web.access.visibility.with_rounding`.
"""

from django import template
from django.contrib.auth.base_user import AbstractBaseUser

from judge.models import Submission
from web import access

register = template.Library()


@register.filter
def cpu_time_for(submission: Submission, user: AbstractBaseUser) -> int | None:
    """Return the CPU time of the slowest case; None when there is none."""
    used = submission.max_cpu_time_us
    rounding = access.sight_of(user, submission.problem).rounding_of_hidden(submission.problem_version)
    return None if used is None else rounding.cpu_time_us(used)


@register.filter
def memory_for(submission: Submission, user: AbstractBaseUser) -> int | None:
    """Return the largest peak of memory; None when there is none."""
    used = submission.max_peak_memory_bytes
    rounding = access.sight_of(user, submission.problem).rounding_of_hidden(submission.problem_version)
    return None if used is None else rounding.memory_bytes(used)
