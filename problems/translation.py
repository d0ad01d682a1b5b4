"""Sentences of plain Python for readers of any language, without depending on the translator.

Every sentence for people is whole, with named placeholders: in a call of `gettext` or `ngettext` where it is shown at
once, as `gettext_noop` or `Sentence` where it is kept, and translated later. Tools that collect sentences look for
these names. English as written is what comes out until `use` has named a translator: web names Django's, the command
line none.
"""

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import fields, is_dataclass, replace
from functools import reduce
from gettext import NullTranslations
from typing import Any, Self, TypeVar, cast

_RecordT = TypeVar("_RecordT")
_none = NullTranslations()
_gettext: Callable[[str], str] = _none.gettext
_ngettext: Callable[[str, str, int], str] = _none.ngettext

Value = str | int  # of a placeholder; a Sentence is translated with the one around it


def gettext(sentence: str) -> str:
    """Return the sentence in the reader's language, its placeholders unchanged."""
    return _gettext(sentence)


def ngettext(singular: str, plural: str, number: int) -> str:
    """Return the sentence's form for this number, in the reader's language."""
    return _ngettext(singular, plural, number)


def gettext_noop(sentence: str) -> str:
    """Return the sentence unchanged: it is translated where it is shown."""
    return sentence


def use(single: Callable[[str], str], counted: Callable[[str, str, int], str]) -> None:
    """Have all sentences translated by these two, which know each reader's language."""
    global _gettext, _ngettext
    _gettext, _ngettext = single, counted


# templates that no translator sees
_JOINED = "%(before)s%(between)s%(after)s"
_QUOTED = "%(words)s"
_HANGUL = re.compile("[가-힣]")


class Sentence(str):
    """A sentence in English, which remembers its template and the values of `%(name)s` to be said in any language.

    As a string it is the English text. A template without values is taken as it is, "%" included.
    """

    __slots__ = ("template", "values")

    def __new__(cls, template: str, /, **values: Value) -> Self:
        """Return the sentence; its template is a literal."""
        sentence = super().__new__(cls, template % values if values else template)
        sentence.template, sentence.values = template, values
        return sentence

    template: str
    values: Mapping[str, Value]

    def __getnewargs_ex__(self) -> tuple[tuple[Any, ...], Mapping[str, Value]]:
        return (self.template,), self.values

    def translated(self) -> str:
        """Return the sentence in the reader's language."""
        template = self._translated_template()
        return template % {name: translated(value) for name, value in self.values.items()} if self.values else template

    def with_values(self, change: Callable[[str], str]) -> Self:
        """Return the sentence with its text values changed: file names, and what programs wrote."""
        args, values = self.__getnewargs_ex__()
        return type(self)(*args, **_changed(values, change))

    def as_json(self) -> dict[str, Any]:
        """Return what a row keeps of it, for `sentence_of`: the English text, the template and its values."""
        values = {
            name: value.as_json() if isinstance(value, Sentence) else value for name, value in self.values.items()
        }
        return {"text": str(self), "template": self.template, "values": values}

    def _translated_template(self) -> str:
        return _gettext(self.template) if self.template else ""  # of "" a catalogue has its own header


class SentenceError(Exception):
    """An error for people: `why` is a sentence, or the end of one."""

    def __init__(self, why: Sentence) -> None:
        super().__init__(str(why))
        self.why = why


class CountedSentence(Sentence):
    """A sentence with a form for one and a form for several; `number` decides, and is no placeholder by itself."""

    __slots__ = ("number", "plural")

    def __new__(cls, template: str, plural: str, number: int, /, **values: Value) -> Self:
        """Return the sentence; `template` is that of one. Both are literals."""
        sentence = super().__new__(cls, template if number == 1 else plural, **values)
        sentence.template, sentence.plural, sentence.number = template, plural, number
        return sentence

    plural: str
    number: int

    def __getnewargs_ex__(self) -> tuple[tuple[Any, ...], Mapping[str, Value]]:
        return (self.template, self.plural, self.number), self.values

    def as_json(self) -> dict[str, Any]:
        """Return what a row keeps of it, for `sentence_of`."""
        return {**super().as_json(), "plural": self.plural, "number": self.number}

    def _translated_template(self) -> str:
        return _ngettext(self.template, self.plural, self.number)


_composers: dict[str, Callable[[Mapping[str, Any]], str]] = {}


def composed_by(composer: str, compose: Callable[[Mapping[str, Any]], str]) -> None:
    """Have `compose` make the sentences that name this composer."""
    _composers[composer] = compose


class ComposedSentence(Sentence):
    """A sentence that a function makes of JSON, its subject, where no template holds it."""

    __slots__ = ("composer", "subject")

    def __new__(cls, composer: str, subject: Mapping[str, Any], /) -> Self:
        """Return the sentence; `composer` is a name that `composed_by` knows."""
        sentence = super().__new__(cls, _composers[composer](subject))
        sentence.composer, sentence.subject = composer, subject
        return sentence

    composer: str
    subject: Mapping[str, Any]

    def __getnewargs_ex__(self) -> tuple[tuple[Any, ...], Mapping[str, Value]]:
        return (self.composer, self.subject), {}

    def translated(self) -> str:
        """Return the sentence in the reader's language."""
        return _composers[self.composer](self.subject)

    def with_values(self, change: Callable[[str], str]) -> Self:
        """Return the sentence with the texts of its subject changed."""
        return type(self)(self.composer, _changed(self.subject, change))

    def as_json(self) -> dict[str, Any]:
        """Return what a row keeps of it, for `sentence_of`."""
        return {**super().as_json(), "teller": self.composer, "told": self.subject}


def _changed(value: Any, change: Callable[[str], str]) -> Any:
    """Return a copy of JSON whose texts are changed, also those in its sentences."""
    if isinstance(value, Mapping):
        return {key: _changed(item, change) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [_changed(item, change) for item in value]
    if isinstance(value, Sentence):
        return value.with_values(change)
    return change(value) if isinstance(value, str) else value


def sentence_of(record: object) -> str:
    """Return the sentence of which a row has `Sentence.as_json`, or only the text, which nobody translates."""
    if not isinstance(record, dict):
        return str(record)
    values = {name: sentence_of(part) if isinstance(part, dict) else part for name, part in record["values"].items()}
    if record.get("teller") in _composers:
        return ComposedSentence(record["teller"], record["told"]) or Sentence(record["template"])
    if "plural" in record:
        return CountedSentence(record["template"], record["plural"], record["number"], **values)
    return Sentence(record["template"], **values)


def sentence_in(text: str) -> Sentence | None:
    """Return a text if it is a Sentence; None of words that nobody translates."""
    return text if isinstance(text, Sentence) else None


def in_readers_language(record: _RecordT) -> _RecordT:
    """Return a record with all its sentences, also those of its parts, in the reader's language."""
    translation: Any = record
    if isinstance(record, Sentence):
        translation = translated(record)
    elif isinstance(record, tuple):
        translation = tuple(map(in_readers_language, record))
    elif is_dataclass(record) and not isinstance(record, type):
        parts = {part.name: in_readers_language(getattr(record, part.name)) for part in fields(record)}
        translation = replace(record, **parts)
    return cast(_RecordT, translation)


def capitalised(text: str) -> str:
    """Begin a line with a capital, unless it is Korean: a Latin word at its head keeps its small letter there."""
    return text if _HANGUL.search(text) else text[:1].upper() + text[1:]


def translated(value: Any) -> Any:
    """Return a Sentence in the reader's language; anything else unchanged."""
    return value.translated() if isinstance(value, Sentence) else value


def joined(sentences: Iterable[str], separator: str = "; ") -> Sentence:
    """Return the sentences one after the other, each in the reader's language; an empty one for none."""
    first, *rest = [*sentences] or [""]
    return reduce(
        lambda before, after: Sentence(_JOINED, before=before, between=separator, after=after), rest, quoted(first)
    )


def quoted(words: str) -> Sentence:
    """Return what a program or a person said, which nobody translates."""
    return words if isinstance(words, Sentence) else Sentence(_QUOTED, words=words)


def listed(names: Sequence[str], most: int) -> str:
    """Return the first names in one line, and how many more there are."""
    first, others = ", ".join(names[:most]), len(names) - most
    return first if others <= 0 else Sentence("%(names)s and %(number)s more", names=first, number=others)
