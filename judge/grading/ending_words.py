"""Say in the reader's language how a run ended: in a few words, and of a program that failed in whole sentences."""

import signal
from collections.abc import Mapping
from dataclasses import dataclass, field

from judge.grading.case_ending import CallExcess, CaseEnding, TokenDifference
from judge.grading.languages import PYTHON, Language
from judge.grading.reading.program_errors import ErrorKind, ProgramError
from judge.grading.words import size, time_limit
from problems.translation import Sentence, gettext as _, gettext_noop, quoted
from sandbox.types import Ending, signal_name

_UNNAMED = {  # errors of which the type and the message are unknown, or may not be told
    ErrorKind.EXCEPTION: gettext_noop("an exception of a type of its own"),
    ErrorKind.PANIC: gettext_noop("a panic"),
    ErrorKind.ASSERTION: gettext_noop("a failed assertion"),
    ErrorKind.RETURNED: gettext_noop("an error that `main` returned"),
}
_BY_KIND = {  # errors that say most by their kind
    ErrorKind.TERMINATE: gettext_noop(
        "`std::terminate` ended the program on {case} without an exception, as where a `std::thread` is neither joined "
        "nor detached."
    ),
    ErrorKind.HEAP: gettext_noop(
        "The C library aborted the program on {case}, because the heap is damaged: something was written outside of "
        "its memory, or freed twice."
    ),
    ErrorKind.OVERRUN: gettext_noop(
        "A check of the compiler aborted the program on {case}, because an array was written beyond its end."
    ),
    ErrorKind.STACK: gettext_noop("The program aborted on {case}, because its stack is full."),
    ErrorKind.NO_MEMORY: gettext_noop(
        "The program aborted on {case}, because it could not get the memory it asked for."
    ),
}
_SIGNALS = {
    "SIGSEGV": gettext_noop(
        "SIGSEGV (segmentation fault) ended the program on {case}: it used memory that is not its own, as behind the "
        "end of an array, through an empty pointer, or below a full stack."
    ),
    "SIGBUS": gettext_noop(
        "SIGBUS (bus error) ended the program on {case}: it used an address behind which there is no memory."
    ),
    "SIGFPE": gettext_noop("SIGFPE (arithmetic error) ended the program on {case}: an integer division had no result."),
    "SIGILL": gettext_noop(
        "SIGILL (illegal instruction) ended the program on {case}: it came to code that stops it on purpose."
    ),
    "SIGABRT": gettext_noop(
        "SIGABRT (abort) ended the program on {case}: it, or a library that it uses, found an error and gave up."
    ),
    "SIGPIPE": gettext_noop("SIGPIPE (broken pipe) ended the program on {case}: nobody reads what it wrote any more."),
    "SIGXFSZ": gettext_noop("SIGXFSZ ended the program on {case}: it wrote a file that is larger than allowed."),
    "": gettext_noop("A signal ended the program on {case}."),
}
_CHECKED_DIVISOR = gettext_noop(
    "SIGILL (illegal instruction) ended the program on {case}: it came to code that stops it on purpose, such as the "
    "check that ends a division by zero."
)
_FLUSH_FAILED, _OF_MINUS_ONE, _SIGNALS_FROM = 120, 255, 128  # exit codes


@dataclass(frozen=True, kw_only=True, slots=True)
class EndSentence:
    """A sentence in the reader's language with the placeholders {case} and {line}, and the values of all others.

    `quotes`: values in the words of the program.
    """

    template: str
    values: Mapping[str, str] = field(default_factory=dict)
    quotes: Mapping[str, str] = field(default_factory=dict)


def brief(ending: CaseEnding) -> Sentence | None:
    """Return how a run ended in a few words: the limit, the signal, the exit code; None of one that ended well."""
    if ending.text or ending.refusal:
        words = quoted(ending.text)
        return words if ending.text else Sentence("the program cannot be started: %(reason)s", reason=ending.refusal)
    if ending.calls:
        return of_calls(ending.calls)
    if ending.difference:
        return of_tokens(ending.difference)
    match ending.how:
        case Ending.CPU_LIMIT:
            return Sentence("CPU time limit of %(limit)s", limit=time_limit(ending.limit))
        case Ending.WALL_LIMIT:
            return Sentence("wall time limit of %(limit)s", limit=time_limit(ending.limit))
        case Ending.MEMORY_LIMIT:
            return Sentence("memory limit of %(limit)s", limit=size(ending.limit))
        case Ending.OUTPUT_LIMIT:
            return Sentence("output limit of %(limit)s on %(stream)s", limit=size(ending.limit), stream=ending.stream)
        case Ending.SIGNALLED:
            name: str = ending.signal
            if name.isdigit():
                name = Sentence("signal %(number)s", number=name)
            elif name in signal.Signals.__members__:  # with its meaning: "SIGSEGV (segmentation fault)"
                name = signal_name(signal.Signals[name])
            return Sentence("killed by %(signal)s", signal=name) if name else Sentence("killed by a signal")
        case Ending.EXITED if ending.exit_code is None:
            return Sentence("non-zero exit code")
        case Ending.EXITED if ending.exit_code:
            return Sentence("exit code %(code)s", code=str(ending.exit_code))
    return None


def of_calls(calls: CallExcess) -> Sentence:
    """Return which calls were too many, and how many where that may be told."""
    is_write = calls.what == "write"
    if calls.made is None or calls.most is None:
        if is_write:
            return Sentence("more write calls than the problem allows")
        return Sentence("more read calls than the problem allows")
    number, most = f"{calls.made:,}", f"{calls.most:,}"
    if is_write:
        return Sentence("%(made)s write calls where at most %(most)s are allowed", made=number, most=most)
    return Sentence("%(made)s read calls where at most %(most)s are allowed", made=number, most=most)


def of_tokens(token: TokenDifference) -> Sentence:
    """Return what the default validator says of a wrong output."""
    words = {"number": str(token.number), "expected": token.expected or "", "got": token.got or ""}
    if token.expected is None:
        return Sentence("token %(number)s: expected the end of the output, got %(got)s", **words)
    if token.got is None:
        return Sentence("token %(number)s: expected %(expected)s, got the end of the output", **words)
    return Sentence("token %(number)s: expected %(expected)s, got %(got)s", **words)


def line_in_words(number: int) -> str:
    """Return a line of the source for a sentence: "line 7"."""
    return _("line {number}").format(number=number)


def sentences_of_end(ending: CaseEnding, language: Language | None) -> list[EndSentence]:
    """Return what ended a program that failed, and what is known besides; nothing of one that a limit stopped."""
    if ending.how not in (Ending.EXITED, Ending.SIGNALLED) or ending.exit_code == 0:
        return []
    if ending.error:
        sentences = [_of_error(ending.error, has_line=ending.place > 0)]
    elif ending.how is Ending.EXITED:
        sentences = [_of_exit_code(ending.exit_code, language)]
    else:
        sentences = [_of_signal(ending.signal, language)]
    if ending.place and "{line}" not in sentences[0].template:
        sentences.append(EndSentence(template=_("It was at {line} then.")))
    if ending.is_output_right:
        sentences.append(EndSentence(template=_("Its output was right: only the way it ended is wrong.")))
    return sentences


def end_in_words(ending: CaseEnding, language: Language | None, case: str) -> str:
    """Return these sentences as plain text; "" if there are none."""
    line = line_in_words(ending.place)
    return " ".join(
        sentence.template.format(case=case, line=line, **sentence.values, **sentence.quotes)
        for sentence in sentences_of_end(ending, language)
    )


def error_in_words(kind: ErrorKind, name: str) -> str:
    """Return an error without its message as part of a sentence: its name, or what it is."""
    if name:
        return f"`{name}`" if kind is ErrorKind.EXCEPTION else name
    return _(_UNNAMED[kind]) if kind in _UNNAMED else _("an error")


def _of_error(error: ProgramError, *, has_line: bool) -> EndSentence:
    is_bare = error.kind is ErrorKind.EXCEPTION and error.name and not error.message
    if error.kind in _BY_KIND:
        return EndSentence(template=_(_BY_KIND[error.kind]))
    if error.kind is ErrorKind.RETURNED and error.message:
        template = _("`main` returned an error on {case}: {error}.")
    elif is_bare and has_line:
        template = _("The exception {error}, which nothing caught, ended the program on {case} in {line}.")
    elif is_bare:
        template = _("The exception {error}, which nothing caught, ended the program on {case}.")
    elif has_line:
        template = _("The program failed on {case} in {line}: {error}.")
    else:
        template = _("The program failed on {case}: {error}.")
    if error.words:
        return EndSentence(template=template, quotes={"error": error.words.removesuffix(".")})
    return EndSentence(template=template, values={"error": error_in_words(error.kind, error.name)})


def _of_signal(name: str, language: Language | None) -> EndSentence:
    if name == "SIGILL" and language is not None and "SIGILL" in language.advice.signals:
        return EndSentence(template=_(_CHECKED_DIVISOR))
    if name in _SIGNALS:
        return EndSentence(template=_(_SIGNALS[name]))
    words = _("signal %(number)s") % {"number": name} if name.isdigit() else name
    return EndSentence(template=_("{signal} ended the program on {case}."), values={"signal": words})


def _of_exit_code(code: int | None, language: Language | None) -> EndSentence:
    values = {"code": str(code)}
    if code is None:
        template = _("The program ended with an exit code other than 0 on {case}, which means an error.")
    elif code == _FLUSH_FAILED and language is PYTHON:
        template = _("The program ended with exit code {code} on {case}: it could not write out all of its output.")
    elif code == _OF_MINUS_ONE:
        template = _(
            "The program ended with exit code {code} on {case}, as by `return -1`: any code other than 0 means an "
            "error."
        )
    elif code - _SIGNALS_FROM in set(signal.Signals):
        template = _(
            "The program itself ended with exit code {code} on {case}. Shells write {signal} so, but no signal ended "
            "it."
        )
        values["signal"] = signal.Signals(code - _SIGNALS_FROM).name
    else:
        template = _("The program ended with exit code {code} on {case}: any code other than 0 means an error.")
    return EndSentence(template=template, values=values)
