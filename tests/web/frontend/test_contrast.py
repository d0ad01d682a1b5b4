"""Text and charts can be read in both colour schemes: WCAG 2.2, success criteria 1.4.3 (text) and 1.4.11 (graphics)."""

import re
from pathlib import Path

import pytest

FOLDER = Path(__file__).parents[3] / "web/frontend"


def colours(sheet: str) -> dict[str, str]:
    """The tokens that a style sheet names, with their colours."""
    return dict(re.findall(r"--([\w-]+): (#[0-9a-f]{6});", (FOLDER / sheet).read_text()))


LIGHT, DARK = colours("css/site/tokens.css"), colours("dark.css")
VERDICTS = [(name, f"{name}-tint") for name in ("ac", "wa", "tle", "mle", "ole", "sle", "re", "ce", "je", "pending")]
WORDS = [
    (ink, paper) for ink in ("ink", "ink-soft", "accent", "accent-strong") for paper in ("paper", "surface", "sunken")
]
NOTES = [("ink", f"{kind}-tint") for kind in ("accent", "good", "bad", "warn")] + [("bad", "paper"), ("bad", "surface")]
CODE = [(f"code-{kind}", "surface") for kind in ("keyword", "string", "number", "comment", "name", "type")]
CHANGED = [("ink", "added-tint"), ("ink", "removed-tint")]
TEXT = [*VERDICTS, *WORDS, *NOTES, *CODE, *CHANGED, ("on-accent", "accent"), ("on-accent", "accent-strong")]
CHARTS = ("user-time", "system-time", "waiting-time", "limit", "series-a", "series-b", "focus", "line-strong", "ac")
GRAPHICS = [(colour, paper) for colour in CHARTS for paper in ("surface", "paper")]


def luminance(colour: str) -> float:
    channels = (int(colour[at : at + 2], 16) / 255 for at in (1, 3, 5))
    red, green, blue = (part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in channels)
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


def contrast(one: str, other: str) -> float:
    darker, lighter = sorted((luminance(one), luminance(other)))
    return (lighter + 0.05) / (darker + 0.05)


def test_black_on_white_has_the_largest_contrast() -> None:
    assert contrast("#000000", "#ffffff") == pytest.approx(21)


def test_dark_scheme_names_every_colour_again() -> None:
    assert LIGHT.keys() == DARK.keys()


def mixed(one: str, other: str, percent: int) -> str:
    """As color-mix(in srgb, one percent%, other)."""
    pairs = [(int(one[at : at + 2], 16), int(other[at : at + 2], 16)) for at in (1, 3, 5)]
    return "#" + "".join(f"{round((a * percent + b * (100 - percent)) / 100):02x}" for a, b in pairs)


@pytest.mark.parametrize("scheme", [LIGHT, DARK], ids=["light", "dark"])
def test_words_on_a_warm_line_can_be_read(scheme: dict[str, str]) -> None:
    sheet = (FOLDER / "css/result/line_costs.css").read_text()
    shares = re.findall(r"color-mix\(in srgb, var\(--system-time\) (\d+)%, var\(--surface\)\)", sheet)
    assert len(shares) == 4
    for share in shares:
        warm = mixed(scheme["system-time"], scheme["surface"], int(share))
        assert contrast(scheme["ink"], warm) >= 4.5


@pytest.mark.parametrize("scheme", [LIGHT, DARK], ids=["light", "dark"])
@pytest.mark.parametrize(
    ("colour", "behind", "least"), [(*pair, 4.5) for pair in TEXT] + [(*pair, 3.0) for pair in GRAPHICS]
)
def test_contrast_is_enough(scheme: dict[str, str], colour: str, behind: str, least: float) -> None:
    assert contrast(scheme[colour], scheme[behind]) >= least
