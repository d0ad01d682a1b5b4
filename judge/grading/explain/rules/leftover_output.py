"""Find a wrong answer that contains the right one: a print was left in."""

import re

from judge.grading.events import EXCERPT_BYTES, CaseJudged, Finding
from judge.grading.explain.evidence.facts import Facts
from judge.grading.explain.evidence.rule import About, Cause, Reason, Rule
from judge.grading.explain.evidence.wording import Said, Telling
from judge.grading.reading.code import Code, lines_of
from judge.grading.reading.places import Deed, Place, Stream
from judge.grading.verdicts import Verdict
from problems.translation import gettext as _
from problems.translation import gettext_noop, ngettext

_FORMATS = re.compile(r"%[-+ #0-9.*]*[a-zA-Z]+|\{[^}]*\}|\\.")  # what a print fills in, or writes in another way
_TELLING = 2  # letters that a text must have to tell one print from another


def find(facts: Facts) -> Finding | None:
    """Find a sample whose whole expected answer is in the output, in order, with other lines around it."""
    for case in facts.cases:
        if case.is_sample and case.verdict is Verdict.WA and _is_whole(case) and (extra := _describe_extra(case)):
            number, what, more = extra
            places = _printing(facts.code, more, case.expected, _lines(case.expected), _lines(case.output))
            return Finding(
                code="leftover-output",
                evidence={"test_case": case.name, f"extra_{what}s": number, "stdout_bytes": case.stdout_bytes},
                lines=lines_of(places),
            )
    return None


def say(telling: Telling) -> Said:
    """Tell how much more there is than the answer."""
    if "extra_lines" in telling.evidence:
        name = "extra_lines"
        sentence = ngettext(
            "Your output for {test_case} contains the whole expected answer, and {count} more line: was a print left "
            "in?",
            "Your output for {test_case} contains the whole expected answer, and {count} more lines: was a print left "
            "in?",
            telling.value(name),
        )
    else:
        name = "extra_words"
        sentence = ngettext(
            "Your output for {test_case} contains the whole expected answer, and {count} more word: was a print left "
            "in?",
            "Your output for {test_case} contains the whole expected answer, and {count} more words: was a print left "
            "in?",
            telling.value(name),
        )
    text = sentence.format(test_case=telling.text("test_case"), count=telling.count(name))
    return Said(text=text, advice=_("Take out what prints more than the answer."))


def _is_whole(case: CaseJudged) -> bool:
    """Return whether the excerpts are all there is."""
    return len(case.expected) < EXCERPT_BYTES and case.stdout_bytes < EXCERPT_BYTES


def _describe_extra(case: CaseJudged) -> tuple[int, str, list[bytes]] | None:
    """Describe and count the lines or words beyond the expected ones; None unless all expected ones are there."""
    for what, expected, output in (
        ("line", _lines(case.expected), _lines(case.output)),
        ("word", case.expected.split(), case.output.split()),
    ):
        # The answer is what a program prints last; without that, a single word would be found by chance.
        if expected and len(output) > len(expected) and output[-1] == expected[-1]:
            more = _more(output, expected)
            if len(more) == len(output) - len(expected):
                return len(more), what, more
    return None


def _lines(content: bytes) -> list[bytes]:
    return [line.strip() for line in content.splitlines() if line.strip()]


def _more(output: list[bytes], expected: list[bytes]) -> list[bytes]:
    """Return the parts of the output that are left when the expected parts are matched in order from the end."""
    rest, more = list(expected), []
    for part in reversed(output):
        if rest and part == rest[-1]:
            rest.pop()
        else:
            more.append(part)
    return [*more, *rest]


def _printing(
    code: Code, more: list[bytes], expected: bytes, answer: list[bytes], output: list[bytes]
) -> tuple[Place, ...]:
    """Return the prints that made the extra output, if this can be told: by their text, or by who prints often."""
    prints = code.find(Deed.PRINT, Deed.WRITE, streams=(Stream.STDOUT,))
    joined = b"\n".join(more)
    named = tuple(place for place in prints if any(text in joined and text not in expected for text in _texts(place)))
    if named:
        return named
    once = [place for place in prints if not place.is_repeated]
    # One line is the answer, the last one, and one print stands outside of loops: the others printed the rest.
    if len(answer) == 1 and len(once) == 1 and len(output) > 1:
        return tuple(place for place in prints if place.is_repeated and place.line != once[0].line)
    return ()


def _texts(place: Place) -> list[bytes]:
    """Return the parts of a print's text that stand in the output as they are."""
    parts = (part.strip() for word in place.words for part in _FORMATS.split(word))
    return [part.encode() for part in parts if sum(map(str.isalpha, part)) >= _TELLING]


RULE = Rule(
    code="leftover-output",
    find=find,
    say=say,
    cause=Cause(about=About.FAILURE, reason=Reason.IO, hint=gettext_noop("A print was left in: take it out.")),
    is_about_case=True,
    leaves_time_open=True,
    explains=True,
)
