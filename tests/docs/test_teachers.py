"""docs/teachers.md names every column of the CSV file, in its order. Its numbers: `tests.docs.statements`."""

import re
from pathlib import Path

from web.presentation.pages.exports import _COLUMNS

PAGE = Path(__file__).parents[2] / "docs/teachers.md"


def test_the_page_for_teachers_has_the_columns_of_the_csv_file() -> None:
    text = PAGE.read_text("utf-8").partition("## The CSV file")[2].partition("\n## ")[0]
    rows = re.findall(r"^\| (`[^|]+) \|", text, re.MULTILINE)
    assert [name for row in rows for name in re.findall(r"`(\w+)`", row)] == list(_COLUMNS)
