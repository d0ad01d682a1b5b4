"""A filter for addresses of queue rows: `{{ row|kind_of }}` is "submission"."""

from django import template

from judge.observability.counting import kind_of

register = template.Library()
register.filter("kind_of", kind_of)
