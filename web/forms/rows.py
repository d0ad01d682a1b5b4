"""Forms with rows of fields; a button adds or removes a row, and the page comes again with what was typed."""

from django.http import QueryDict


def wants_other_rows(data: QueryDict) -> bool:
    """Return whether such a button was pressed."""
    return "more" in data or "less" in data
