"""A statement as it is shown."""

import pytest

from web.presentation.statement import with_math_kept_together

MATH = '<math display="inline"><mi>n</mi></math>'


@pytest.mark.parametrize(
    ("statement", "shown"),
    [
        (f"given {MATH} flats", f"given {MATH} flats"),
        (f"one ({MATH}).", f'one <span class="together">({MATH}).</span>'),
        (f"{MATH}, {MATH} and", f'<span class="together">{MATH},</span> {MATH} and'),
        ('(<math display="block"><mi>n</mi></math>).', '(<math display="block"><mi>n</mi></math>).'),
    ],
)
def test_what_touches_a_formula_stays_on_its_line(statement: str, shown: str) -> None:
    assert with_math_kept_together(statement) == shown
