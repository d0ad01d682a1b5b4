"""Cells of files that people open as a spreadsheet."""

_STARTS_FORMULA = ("=", "+", "-", "@", "\t", "\r")


def harmless(cell: object) -> object:
    """A text that a spreadsheet would compute gets an apostrophe before it (OWASP, "CSV injection")."""
    return f"'{cell}" if isinstance(cell, str) and cell.startswith(_STARTS_FORMULA) else cell
