"""Find a wrong answer that contains the right one, and output beyond the limit or far longer than the answer."""

import re

from judge.grading import words
from judge.grading.events import EXCERPT_BYTES, BufferChange, CaseJudged, Finding
from judge.grading.explain.evidence.facts import Facts
from judge.grading.explain.evidence.rule import About, Reason, Rule, Said, Telling
from judge.grading.explain.rules.buffers import possible_change
from judge.grading.reading.places import Code, Deed, Place, Stream, lines_of
from judge.grading.verdicts import Verdict
from problems.translation import gettext as _, gettext_noop, ngettext

_FORMATS = re.compile(r"%[-+ #0-9.*]*[a-zA-Z]+|\{[^}]*\}|\\.")  # what a print fills in, or writes in another way
_BEFORE, _BEHIND = rb"(?<![\w.+-])", rb"(?![\w-]|[.,]\d)"  # what no token of an answer has next to it
_DIGIT = re.compile(rb"\d")
_TELLING = 2  # letters that a text must have to tell one print from another
_MUCH_BYTES = 64 * 1_024
_MANY_LINES = 10_000  # the same one after the other
_TIMES = 100  # the answer: formatting, spaces and long numbers make an output ten times as long at most


def find_leftover(facts: Facts) -> Finding | None:
    """Find that the first failure is on a sample whose whole expected answer is in the output, in order, with other
    lines around it.
    """
    case = facts.first_failure
    if case is None or not case.is_sample or case.verdict is not Verdict.WA:
        return None
    is_whole = len(case.expected) < EXCERPT_BYTES and case.stdout_bytes < EXCERPT_BYTES  # the excerpts are all
    extra = _extra(case) if is_whole else None
    if extra is None or possible_change(facts, case) is BufferChange.DOUBLED:  # the same lines again, none left in
        return None
    what, more = extra
    counted = {"has_text_around": True} if what == "text" else {f"extra_{what}s": len(more)}
    evidence = {"test_case": case.name, **counted, "stdout_bytes": case.stdout_bytes}
    return Finding(code="leftover-output", evidence=evidence, lines=lines_of(_printing(facts.code, case, more)))


def say_leftover(telling: Telling) -> Said:
    """Tell how much more there is than the answer."""
    if telling.has("has_text_around"):
        sentence = _("Your output for {test_case} has the expected answer, with other text around it on the same line.")
        return Said(text=telling.fill(sentence), advice=_("Print the answer and nothing else."))
    name = "extra_lines" if "extra_lines" in telling.evidence else "extra_words"
    if name == "extra_lines":
        sentence = ngettext(
            "Your output for {test_case} contains the whole expected answer, and {count} more line: was a print left "
            "in?",
            "Your output for {test_case} contains the whole expected answer, and {count} more lines: was a print left "
            "in?",
            telling.value(name),
        )
    else:
        sentence = ngettext(
            "Your output for {test_case} contains the whole expected answer, and {count} more word: was a print left "
            "in?",
            "Your output for {test_case} contains the whole expected answer, and {count} more words: was a print left "
            "in?",
            telling.value(name),
        )
    text = telling.fill(sentence, count=telling.count(name))
    return Said(text=text, advice=_("Take out what prints more than the answer."))


def _extra(case: CaseJudged) -> tuple[str, list[bytes]] | None:
    """Return the lines, words or text beyond the expected ones; None unless all expected ones are there."""
    for what, expected, output in (
        ("line", _lines(case.expected), _lines(case.output)),
        ("word", case.expected.split(), case.output.split()),
    ):
        # The answer is what a program prints last; without that, a single word would be found by chance.
        if expected and len(output) > len(expected) and output[-1] == expected[-1]:
            rest, more = list(expected), []
            for part in reversed(output):  # matched in order from the end
                if rest and part == rest[-1]:
                    rest.pop()
                else:
                    more.append(part)
            if not rest:
                return what, more
    around = _around(_lines(case.expected), _lines(case.output))
    return ("text", around) if around else None


def _around(expected: list[bytes], output: list[bytes]) -> list[bytes]:
    """Return the text around the answer's tokens on the lines of an output; nothing unless each of its lines has all
    tokens of that of the answer, in order, and no digit besides: a number may be meant as the answer.
    """
    if len(expected) != len(output):
        return []
    around: list[bytes] = []
    for answer, line in zip(expected, output, strict=True):
        done = 0
        for token in answer.split():
            match = re.compile(_BEFORE + re.escape(token) + _BEHIND).search(line, done)
            if match is None:
                return []
            around += line[done : match.start()].split()
            done = match.end()
        around += line[done:].split()
    return [] if any(_DIGIT.search(part) for part in around) else around


def _lines(content: bytes) -> list[bytes]:
    return [line.strip() for line in content.splitlines() if line.strip()]


def _printing(code: Code, case: CaseJudged, more: list[bytes]) -> tuple[Place, ...]:
    """Return the prints that made the extra output, if this can be told: by their text, or by who prints often."""
    prints = code.find(Deed.PRINT, Deed.WRITE, streams=(Stream.STDOUT,))
    joined = b"\n".join(more)
    named = []
    for place in prints:  # the parts of its text that stand in the output as they are
        parts = (part.strip() for word in place.words for part in _FORMATS.split(word))
        texts = [part.encode() for part in parts if sum(map(str.isalpha, part)) >= _TELLING]
        if any(text in joined and text not in case.expected for text in texts):
            named.append(place)
    if named:
        return tuple(named)
    once = [place for place in prints if not place.is_repeated]
    # One line is the answer, the last one, and one print stands outside of loops: the others printed the rest.
    if len(_lines(case.expected)) == 1 and len(once) == 1 and len(_lines(case.output)) > 1:
        return tuple(place for place in prints if place.is_repeated and place.line != once[0].line)
    return ()


def find_too_much(facts: Facts) -> Finding | None:
    """Find the first case that was stopped for its output, else the one that wrote far too much."""
    case = next((case for case in facts.cases if case.verdict is Verdict.OLE), None)
    if case is not None:
        return Finding(
            code="too-much-output",
            evidence={
                "test_case": case.name,
                "stdout_bytes": case.stdout_bytes,
                "stderr_bytes": case.stderr_bytes,
                "output_limit_bytes": facts.limits.output_bytes,
                **_repeats(facts.code, case),
            },
            lines=_repeating(facts.code, case),
        )
    if facts.is_interactive:
        return None
    larger = (
        case
        for case in facts.cases
        if case.name in facts.answer_bytes
        and case.verdict is not Verdict.AC
        and case.stdout_bytes >= _MUCH_BYTES
        and case.stdout_bytes > _TIMES * max(facts.answer_bytes[case.name], 1)
    )
    case = max(larger, key=lambda case: case.stdout_bytes, default=None)
    if case is None:
        return None
    # How long the answer of a hidden case is stays hidden.
    return Finding(
        code="too-much-output",
        evidence={
            **facts.where(case),
            "stdout_bytes": case.stdout_bytes,
            "write_calls": case.io.write_calls,
            "is_in_no_loop": not facts.code.has(Deed.PRINT, Deed.WRITE, Deed.FLUSH, repeated=True),
            **_repeats(facts.code, case),
        },
        lines=_repeating(facts.code, case),
    )


def _repeats(code: Code, case: CaseJudged) -> dict[str, object]:
    """Return how often the run printed its last line in a row, as evidence, if a loop of the source prints."""
    prints = code.has(Deed.PRINT, Deed.WRITE, streams=(Stream.STDOUT,), repeated=True)
    return {"repeated_lines": case.repeated_lines} if prints and case.repeated_lines >= _MANY_LINES else {}


def _repeating(code: Code, case: CaseJudged) -> tuple[int, ...]:
    """Return the line that prints the same again and again, if only one prints in a loop."""
    lines = lines_of(code.find(Deed.PRINT, Deed.WRITE, streams=(Stream.STDOUT,), repeated=True))
    return lines if _repeats(code, case) and len(lines) == 1 else ()


def say_too_much(telling: Telling) -> Said:
    """Tell how much was written, and how much is allowed."""
    if telling.has("output_limit_bytes"):
        sentence = _(
            "{test_case} was stopped because its output was too long: {stdout} on stdout (the limit is {limit}) and "
            "{stderr} on stderr."
        )
        text = telling.fill(sentence, limit=words.size(telling.value("output_limit_bytes")))
        advice = ""
    else:
        sentence = _("On {where} your program wrote {stdout} to stdout, more than {times} times what the answer has.")
        text = telling.fill(sentence, times=str(_TIMES))
        advice = _("Print the answer and nothing else; look at the loop that prints.")
        if telling.has("is_in_no_loop"):
            advice = _("Print the answer and nothing else.")
    if "repeated_lines" not in telling.evidence:
        return Said(text=text, advice=advice)
    repeated = _("The output ends with the same line, {lines} times in a row: the loop that prints it may never end.")
    repeated = telling.fill(repeated, lines=telling.count("repeated_lines"))
    return Said(text=f"{text} {repeated}", advice=_("Look at what should end the loop that prints."))


RULES = (
    Rule(
        code="leftover-output",
        find=find_leftover,
        say=say_leftover,
        about=About.FAILURE,
        reason=Reason.IO,
        hint=gettext_noop("A print was left in: take it out."),
    ),
    Rule(
        code="too-much-output",
        find=find_too_much,
        say=say_too_much,
        about=About.FAILURE,
        reason=Reason.IO,
        hint=gettext_noop("It prints far more than the answer has: look at the loop that prints."),
        leaves_time_open=False,
    ),
)
