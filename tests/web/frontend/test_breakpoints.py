"""The style sheets know three widths of a page: telephones and small tablets, large tablets, desks."""

import re
from pathlib import Path

SHEETS = Path(__file__).parents[3] / "web/frontend/css"
BREAKPOINTS = {"48rem", "64rem", "80rem"}


def test_sheets_share_three_breakpoints() -> None:
    text = "".join(sheet.read_text() for sheet in SHEETS.rglob("*.css"))
    conditions = re.findall(r"@media \((?:[^)]*width[^)]*)\)", text)
    assert {condition.rpartition(" ")[2].rstrip(")") for condition in conditions} == BREAKPOINTS
