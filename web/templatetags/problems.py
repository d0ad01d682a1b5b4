"""A filter for links to problems: `{% if problem|is_visible_to:user %}`."""

from django import template

from problems.models import Problem

register = template.Library()
register.filter("is_visible_to", Problem.is_visible_to)
