"""A page without the white space that no reader sees, so that a test does not depend on the lines of a template."""

import re


def dense(page: str) -> str:
    """Return the page with one space for each stretch of white space, and none beside a tag."""
    return re.sub(r" ?([<>]) ?", r"\1", re.sub("[ \n]+", " ", page))
