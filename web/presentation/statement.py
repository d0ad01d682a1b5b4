"""A statement's last touch before it is shown."""

import re

from django.utils.safestring import SafeString, mark_safe

_MATH_IN_TEXT = re.compile(r'(\(?)(<math(?![^>]*display="block")[^>]*>.*?</math>)([).,;:?!]*)', re.DOTALL)


def with_math_kept_together(statement_html: str) -> SafeString:
    """The sanitised statement, with a formula and the brackets and stops that touch it on one line.

    A browser may break a line on either side of a formula, whatever stands there (CSS Text 3, section 5.1).
    """
    return mark_safe(_MATH_IN_TEXT.sub(_kept_together, statement_html))  # noqa: S308 - only <span> is added


def _kept_together(found: re.Match[str]) -> str:
    before, _, after = found.groups()
    return f'<span class="together">{found.group()}</span>' if before or after else found.group()
