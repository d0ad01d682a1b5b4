"""What the templates of web/jinja2 draw is escaped, like everything else on a page."""

from typing import Any

import pytest
from django.template import engines
from django.utils.safestring import mark_safe

HOSTILE = "<b>\"'&"
ESCAPED = "&lt;b&gt;"


class _Hostile:
    """Whose every part is markup."""

    value = HOSTILE

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        return HOSTILE


@pytest.mark.parametrize(
    ("name", "values"),
    [
        ("time_bar", {"label": HOSTILE, "bar": {"segments": [_Hostile()], "limit_x": HOSTILE, "overrun": _Hostile()}}),
        ("case_numbers", {"case": {"numbers": [_Hostile()], "memory_width": HOSTILE}, "term": str}),
        ("table_cells", {"numbers": [HOSTILE]}),
        ("time_lines", {"lines": [(HOSTILE, {"segments": [_Hostile()]}, HOSTILE, HOSTILE)]}),
        ("write_lines", {"lines": [(HOSTILE, HOSTILE, HOSTILE)]}),
        ("metric_rows", {"metrics": [{"label": HOSTILE, "readings": [_Hostile()]}]}),
        ("rerun_forms", {"forms": [_Hostile()], "case": _Hostile(), "csrf_token": HOSTILE, "is_list": True}),
    ],
)
def test_values_are_escaped(name: str, values: dict[str, Any]) -> None:
    page = engines["jinja2"].get_template(f"{name}.html").render(values)
    assert ESCAPED in page
    assert "<b>" not in page


def test_what_is_safe_stays() -> None:
    page = engines["jinja2"].get_template("table_cells.html").render({"numbers": [mark_safe("<i>1</i>")]})
    assert '<td class="number"><i>1</i></td>' in page


def test_a_template_takes_it_as_it_is() -> None:
    template = engines["django"].from_string("{% load drawing %}{% metric_rows metrics %}")
    page = template.render({"metrics": [{"label": HOSTILE, "readings": []}]})
    assert f'<tr><th scope="row">{ESCAPED}' in page
