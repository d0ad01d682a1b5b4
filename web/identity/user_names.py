"""Which user names a new account may have, so that nobody passes for somebody else. Accounts that exist stay.

The letters of a name are of one script, or of a combination that people write: Latin with Hangul and Han, with Han and
Kana, or with Han and Bopomofo. This is the level "Highly Restrictive" of Unicode Technical Standard 39, section 5.2:
an "admin" with a Cyrillic letter is refused. A letter's script is the first word of its name in Python's Unicode data.

And a name must not look like that of an account: after NFKC and case folding, with the Cyrillic and Greek letters that
look like Latin ones taken for those. Python has no more of Unicode's confusable characters: look-alikes of other
scripts, and those within one (0 and O, 1 and l, rn and m), are not found.
"""

import unicodedata

from django.contrib.auth.models import User
from django.core.exceptions import ValidationError
from django.db import connection
from django.utils.translation import gettext as _

from problems.names import why_no_name
from problems.translation import translated
from web.identity.accounts import as_kept
from web.server.client_address import lock_key

_LOCK = 0x4E61  # names the locks of this module among PostgreSQL's advisory ones
_TOGETHER = tuple(
    frozenset({"LATIN", "HAN", *others}) for others in ({"HANGUL"}, {"HIRAGANA", "KATAKANA"}, {"BOPOMOFO"})
)
_FIRST_WORDS = {  # of names that do not begin with the script; "EXTENDED ARABIC-INDIC DIGIT" is one
    "CJK": "HAN",
    "IDEOGRAPHIC": "HAN",
    "KATAKANA-HIRAGANA": "KATAKANA",
    "ARABIC-INDIC": "ARABIC",
    "EXTENDED": "ARABIC",
}
_LATIN_LOOKS = str.maketrans(
    # Cyrillic capitals, Cyrillic small letters, Greek capitals, Greek small letters
    "\u0410\u0412\u0415\u0405\u0406\u0408\u041a\u041c\u041d\u041e\u0420\u0421\u0422\u0423\u0425\u04c0\u051a\u051c"
    "\u0430\u0435\u0455\u0456\u0458\u043e\u0440\u0441\u0443\u0445\u04bb\u04cf\u0501\u051b\u051d"
    "\u0391\u0392\u0395\u0396\u0397\u0399\u039a\u039c\u039d\u039f\u03a1\u03a4\u03a5\u03a7"
    "\u03b1\u03b3\u03b9\u03bd\u03bf\u03c1\u03c5",
    "ABESIJKMHOPCTYXlQWaesijopcyxhldqwABEZHIKMNOPTYXayivopu",
)


def check_name(name: str) -> None:
    """Raise ValidationError for a name, also a title, with something invisible in it, or that turns the text around."""
    if why := why_no_name(name):
        raise ValidationError(_("This name cannot be used: it %(why)s.") % {"why": translated(why)})


def check(name: str) -> None:
    """Raise ValidationError if no new account may have this name."""
    check_name(name)
    letters = [
        character
        for character in as_kept(name)
        if character.isalpha() or (character.isnumeric() and not character.isascii())
    ]
    first_words = [unicodedata.name(letter, "UNKNOWN").split(" ")[0] for letter in letters]
    scripts = {_FIRST_WORDS.get(word, word) for word in first_words}
    if len(scripts) > 1 and not any(scripts <= together for together in _TOGETHER):
        names = ", ".join(sorted(script.title() for script in scripts))
        raise ValidationError(
            _(
                "This name mixes letters of several scripts (%(scripts)s), some of which look alike. Use letters of one"
                " script. Latin ones may stand beside Korean, Chinese or Japanese ones."
            )
            % {"scripts": names}
        )


def check_look(name: str) -> None:
    """Raise ValidationError if the name looks like that of an account."""
    if User.objects.filter(username__iexact=name).exists():
        raise ValidationError(_("A user with that username already exists."))
    look = _look(name)
    other_scripts = User.objects.filter(username__regex=r"[^ -~]").values_list("username", flat=True)
    if User.objects.filter(username__iexact=look).exists() or look in map(_look, other_scripts.iterator()):
        raise ValidationError(_("This name looks like that of another account. Choose another one."))


def hold_look(name: str) -> None:
    """Keep others from taking a name of this look until the transaction's end."""
    with connection.cursor() as cursor:
        cursor.execute("SELECT pg_advisory_xact_lock(%s, %s)", [_LOCK, lock_key(_look(name))])


def _look(name: str) -> str:
    return as_kept(name).translate(_LATIN_LOOKS).casefold()
