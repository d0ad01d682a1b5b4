"""A filter for lists of uploads: `{{ upload|goes_at }}` is a moment."""

from django import template

from judge.uploads import caps

register = template.Library()
register.filter("goes_at", caps.goes_at)
