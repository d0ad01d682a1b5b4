"""Mark the judge's sentences for translation, without depending on the translator.

Every sentence for people is whole, with named placeholders, in a call of `gettext` or `ngettext`; one that is kept as
data is in a call of `gettext_noop`, for `gettext` later. Tools that collect sentences look for these names. English as
written is what comes out until `use` has named a translator: web names Django's, the command line none.
"""

from collections.abc import Callable
from gettext import NullTranslations

_none = NullTranslations()
_gettext: Callable[[str], str] = _none.gettext
_ngettext: Callable[[str, str, int], str] = _none.ngettext


def gettext(sentence: str) -> str:
    """Return the sentence in the reader's language, its placeholders unchanged."""
    return _gettext(sentence)


def ngettext(singular: str, plural: str, number: int) -> str:
    """Return the sentence's form for this number, in the reader's language."""
    return _ngettext(singular, plural, number)


def gettext_noop(sentence: str) -> str:
    """Return the sentence unchanged: it is translated where it is shown."""
    return sentence


def use(one: Callable[[str], str], several: Callable[[str, str, int], str]) -> None:
    """Have all sentences translated by these two, which know each reader's language."""
    global _gettext, _ngettext
    _gettext, _ngettext = one, several
