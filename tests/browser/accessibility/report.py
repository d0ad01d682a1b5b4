"""Write docs/accessibility.md: what holds of every page, and the pages one by one, from a run of all of them."""

from collections.abc import Mapping
from pathlib import Path

from bench.load.stack import ROOT
from tests.browser.accessibility.looking import TAGS, WIDTHS, Seen, reviewed
from tests.browser.accessibility.pages import ERROR_PAGES, NO_PAGES, NOBODY, PAGES

REPORT = ROOT / "docs/accessibility.md"
_HEAD = Path(__file__).with_name("statement.md")


def titles() -> list[str]:
    """Return the titles of all pages, as a run records them."""
    return [*(page.title for page in PAGES), *(f"Error: {name}" for name in ERROR_PAGES)]


def write(all_seen: Mapping[tuple[str, str], Seen]) -> None:
    """Write the document."""
    languages = sorted({language for _title, language in all_seen})
    seen_by = {page.title: page.person or "anybody" for page in PAGES}
    address_of = {page.title: page.address for page in PAGES}
    lines = [
        _HEAD.read_text().rstrip(),
        "",
        "## The pages",
        "",
        f"{len(all_seen) // len(languages)} pages and states of pages, each in {' and '.join(languages)}, light and "
        f"dark, {' and '.join(map(str, WIDTHS))} px wide, with everything unfolded. axe finds no violation on them"
        f" ({', '.join(TAGS)}). The last column has the lines of the list below that the page needs.",
        "",
        "| page | address | seen by | judged by hand |",
        "| --- | --- | --- | --- |",
    ]
    for title in titles():
        used = sorted(set().union(*(all_seen[title, language].used for language in languages)))
        numbers = ", ".join(map(str, used)) or "nothing"
        person = seen_by.get(title, NOBODY) or "anybody"
        lines.append(f"| {title} | `{address_of.get(title, 'none')}` | {person} | {numbers} |")
    lines += ["", "Addresses without a page of their own:", ""]
    for reason in dict.fromkeys(NO_PAGES.values()):
        names = [f"`{name}`" for name, why in NO_PAGES.items() if why == reason]
        lines.append(f"- {reason}: {', '.join(names)}")
    lines += [
        "",
        "## Judged by hand",
        "",
        "What axe cannot tell by itself (`tests/browser/accessibility/reviewed.toml`).",
        "",
        "| | rule | element | judgement |",
        "| --: | --- | --- | --- |",
    ]
    for line in reviewed():
        where = line.where.replace("|", "\\|")
        said = f" ({line.told})" if line.told else ""
        lines.append(f"| {line.number} | `{line.rule}` | `{where}`{said} | {line.judgement} |")
    REPORT.write_text("\n".join(lines) + "\n")
