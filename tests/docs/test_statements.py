"""Each statement with a number and a unit is tied to what it comes from: a report, a constant, arithmetic, a source.

How it works: every number with a unit of time, share, ratio or rate in the documents, in the statements of the library
and in the texts of the experiments has to lie within a phrase of `tests.docs.statements`, which is made of the value
that the code or the latest report has. A new sentence with a number fails until it is tied, a changed value until the
sentence is changed. Blocks of figures that a bench writes have tests of their own, and so do tables of a report; code
in the text is no statement.

Of the experiments E1 to E4 the large counts that claims and mechanisms tell are those of the last report, too.

Outside of this stay numbers in words ("half", "twice"), counts without a unit, sizes in binary units (they are limits)
and the figures of experiments under `published` and `figures`, which others have measured and whose source stands
beside them.
"""

import re
from pathlib import Path
from typing import Any

import pytest
import yaml

from tests.docs.statements import PHRASES, report

ROOT = Path(__file__).parents[2]
EXPERIMENTS = sorted((ROOT / "judge/grading/experiment/library").glob("*/experiment.yaml"))
PAGES = sorted(
    str(page.relative_to(ROOT))
    for pattern in (
        "README.md",
        "CONTRIBUTING.md",
        "docs/*.md",
        "sandbox/*.md",
        "bench/README.md",
        "tests/*/README.md",
        "problems/library/README.md",
        "problems/library/*/statement/*.md",
        "judge/grading/experiment/library/*/experiment.yaml",
    )
    for page in ROOT.glob(pattern)
)
_UNITS = (
    *("ms", "us", "µs", "ns", "s", "seconds", "minutes", "%", "per cent", "times", "KB", "MB", "GB"),
    *("labelled programs", "writes", "tries", "a second", "an hour", "a day", "of a core"),
)
_NUMBER = re.compile(rf"(?<![\w.,/-])\d[\d.,]*[ \u00a0](?:{'|'.join(_UNITS)})(?![a-zA-Z0-9_/])|\b\d+ of \d+\b")
_NO_STATEMENT = re.compile(r"<!-- figures .*?<!-- end of figures -->|```.*?```|`[^`\n]+`|\]\([^)]*\)", re.DOTALL)


def text_of(page: str) -> str:
    """The statements of a page, with single spaces; what is none is left out."""
    text = (ROOT / page).read_text("utf-8")
    if page.endswith(".yaml"):
        text = "\n".join(_own_words(yaml.safe_load(text)))
    return " ".join(_NO_STATEMENT.sub(" … ", text).split())


def _own_words(value: Any, key: str = "") -> list[str]:
    """The texts of an experiment that are Tally's own."""
    if key in ("published", "figures"):
        return []
    if isinstance(value, dict):
        return [words for name, each in value.items() for words in _own_words(each, name)]
    if isinstance(value, list):
        return [words for each in value for words in _own_words(each)]
    return [value] if isinstance(value, str) else []


@pytest.mark.parametrize("page", sorted(PHRASES))
def test_each_phrase_is_still_said(page: str) -> None:
    text = text_of(page)
    assert [phrase for phrase in PHRASES[page] if phrase not in text] == []


@pytest.mark.parametrize("page", PAGES)
def test_each_number_with_a_unit_is_tied(page: str) -> None:
    text = text_of(page)
    tied = [found.span() for phrase in PHRASES.get(page, ()) for found in re.finditer(re.escape(phrase), text)]
    loose = [
        text[max(0, found.start() - 60) : found.end() + 40]
        for found in _NUMBER.finditer(text)
        if not any(begin <= found.start() and found.end() <= end for begin, end in tied)
    ]
    assert loose == []


def test_every_page_with_phrases_is_read() -> None:
    assert set(PHRASES) <= set(PAGES)
    assert sum(map(len, PHRASES.values())) > 50


@pytest.mark.parametrize("path", EXPERIMENTS, ids=lambda path: path.parent.name)
def test_an_experiment_has_the_same_title_everywhere(path: Path) -> None:
    title = yaml.safe_load(path.read_text("utf-8"))["title"]
    number = path.parent.name.partition("-")[0].upper()
    assert f"\n## {number}: {title}\n" in (ROOT / "docs/experiments.md").read_text("utf-8")


@pytest.mark.parametrize("path", EXPERIMENTS, ids=lambda path: path.parent.name)
def test_the_counts_that_an_experiment_tells_are_those_of_its_report(path: Path) -> None:
    """Counts of hundreds and more: of write calls as measured, or of what its programs say that they do."""
    spec = yaml.safe_load(path.read_text("utf-8"))
    told = " ".join([spec["question"], spec["mechanism"], *(claim["text"] for claim in spec["claims"])])
    numbers = re.findall(r"(?<![\d,])(?:\d{1,3}(?:,\d{3})+|\d{3,})(?![\d,]| threads)", told)
    counts = {int(number.replace(",", "")) for number in numbers}
    measured = [cell["estimates"]["write_calls"]["median"] for cell in report("experiments")[path.parent.name]["cells"]]
    assert [count for count in counts if not any(abs(count - each) <= 0.02 * each for each in measured)] == []
