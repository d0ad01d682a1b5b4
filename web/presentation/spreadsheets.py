"""Safe cells for files that people open as a spreadsheet."""

_STARTS_FORMULA = ("=", "+", "-", "@", "\t", "\r")


def harmless(cell: object) -> object:
    """Prefix an apostrophe to text that a spreadsheet would evaluate (OWASP, "CSV injection")."""
    return f"'{cell}" if isinstance(cell, str) and cell.startswith(_STARTS_FORMULA) else cell
