"""Filters that turn a verification report's JSON into its page: `{% with shown=report|verification %}`."""

from django import template

from web.presentation.setter.verification import short_language, verification_shown

register = template.Library()
register.filter("verification", verification_shown)
register.filter("short_language", short_language)
