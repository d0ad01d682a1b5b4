"""Round the numbers of a hidden case in the judge's texts: how a run ended, and findings of older rows.

Newer findings are made of evidence that was rounded before (`web.presentation.result.findings`).

How it works: every number in a sentence is rounded by the unit behind it, unless it stands in one of the phrases below,
which tell of the problem or of verdicts. So a number that nobody thought of is rounded, not shown.
"""

import re

from web.presentation.rounding import Rounding, Under
from web.presentation.units import count, counted, data_size, duration

_NUMBER = r"(?:\d{1,3}(?:,\d{3})+(?:\.\d+)?|\d+(?:\.\d+)?)"
_SIZE = rf"{_NUMBER} (?:bytes?|[KMG]iB)"
_TIME = rf"{_NUMBER} m?s"
_NOT_OF_THE_CASE = (
    rf"\({_NUMBER} of {_NUMBER} (?:are|accepted)\)",  # "are" in rows of older versions
    rf"\bAll {_NUMBER} test cases\b",
    rf"\bThe limit is {_TIME}",
    rf"(?<=CPU time of ){_TIME} allowed",
    rf"\blimit of {_NUMBER} (?:s|MiB)\b",
    rf"\bmore than the {_SIZE} of memory that are allowed",
    rf"\bwhere {_SIZE} are allowed",
    rf"\bat most {_NUMBER}(?= and at most|\.(?:\s|$))",
    rf"\bat most {_NUMBER} times as many as the reference makes",
    r"\bmore than 100 times what the answer has",
    r"\blines? \d+(?:, \d+)*(?: and \d+(?: more)?)?",  # of the source
    r"\bby -1;",  # a division by it
)
_TOKENS = re.compile(
    rf"(?P<kept>{'|'.join(_NOT_OF_THE_CASE)})"
    rf"|(?P<runs>; run \d+ times: [\d., ]+ s of CPU time)"
    rf"|(?P<calls>\bno|(?<![\w.,/-]){_NUMBER}) (?P<kind>write|read) calls?(?: of (?P<mean>{_SIZE})(?: on average)?)?"
    rf"|(?P<pages>{_NUMBER}) fresh pages \({_SIZE}\)"
    rf"|(?P<peak>(?<=never more than ){_SIZE})"
    rf"|(?<![\w.,/-])(?P<number>{_NUMBER})(?![\w/-])(?: (?P<unit>ms|s|bytes?|[KMG]iB|%)(?!\w))?"
)
_UNITS = {"ms": 1_000, "s": 1_000_000, "byte": 1, "bytes": 1, "KiB": 1_024, "MiB": 1_024**2, "GiB": 1_024**3}


def rounded_text(text: str, shown: Rounding, name: str = "") -> str:
    """Return the sentence as this reader may see it. `name`: the case's name, whose digits are no numbers."""
    if shown.is_exact:
        return text
    parts = text.split(name) if name else [text]
    return name.join(_TOKENS.sub(lambda found: _words(found, shown), part) for part in parts)


def _words(found: re.Match[str], shown: Rounding) -> str:
    if found["kept"]:
        return found["kept"]
    if found["runs"]:  # of a case at its time limit, with the times of all
        return ""
    if found["calls"]:
        return _calls(found, shown)
    if found["pages"]:  # their size is the same number again
        return f"{count(shown.count(_value(found['pages'])))} fresh pages"
    if found["peak"]:
        return data_size(shown.memory_bytes(_value(*found["peak"].split(" "))))
    number, unit = found["number"], found["unit"] or ""
    if unit == "%":
        return f"{round(_value(number))} %"
    if unit in ("ms", "s"):
        return duration(shown.cpu_time_us(_value(number, unit)))
    return (data_size if unit else count)(shown.count(_value(number, unit)))


def _calls(found: re.Match[str], shown: Rounding) -> str:
    """Return "4,700 write calls of under 100 bytes on average". The size of few calls would reveal their number."""
    made = 0.0 if found["calls"] == "no" else _value(found["calls"])
    calls = shown.write_calls(made) if found["kind"] == "write" else shown.read_calls(made)
    words = counted(calls, f"{found['kind']} call")
    if not found["mean"] or isinstance(calls, Under):
        return words
    return f"{words} of {data_size(shown.count(_value(*found['mean'].split(' '))))} on average"


def _value(number: str, unit: str = "") -> float:
    """Return the value in microseconds, in bytes, or unchanged."""
    return float(number.replace(",", "")) * _UNITS.get(unit, 1)
