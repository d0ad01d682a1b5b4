"""Laws of counts in the notation that programmers use: "n*(n-1)/2", and what its letters stand for."""

import math
from decimal import Decimal

from judge.grading.counted_work import Law, Term
from judge.grading.explain.evidence.sizes import NUMBERS
from problems.translation import gettext as _, gettext_noop

LETTERS = {
    **dict(zip(NUMBERS, "nmkl", strict=True)),
    "lines": "lines",
    "words": "words",
    "bytes": "bytes",
    "longest": "length",
}
_MEANINGS = {
    "number1": gettext_noop("n is the first number of the input."),
    "number2": gettext_noop("m is the second number of the input."),
    "number3": gettext_noop("k is the third number of the input."),
    "number4": gettext_noop("l is the fourth number of the input."),
    "lines": gettext_noop("Lines, words and bytes are those of the input."),
    "words": gettext_noop("Lines, words and bytes are those of the input."),
    "bytes": gettext_noop("Lines, words and bytes are those of the input."),
    "longest": gettext_noop("The length is that of the longest line of the input."),
}
_MOST_DIGITS = 2  # of a coefficient that is not exact


def meanings(sizes: tuple[str, ...]) -> str:
    """Return the sentences on what the letters of these sizes stand for."""
    return " ".join(dict.fromkeys(_(_MEANINGS[name]) for name in sizes if name in _MEANINGS))


def formula(law: Law) -> str:
    """Return a law as a formula; a ratio with two digits."""
    letters = [LETTERS.get(name, name) for name in law.sizes]
    if not law.is_exact:
        return _ratio(law.terms[0], letters)
    bottom = math.lcm(*(term.bottom for term in law.terms))
    parts = [(term.top * (bottom // term.bottom), _factors(term, letters, is_exact=True)) for term in law.terms]
    common = math.gcd(*(number for number, _ in parts))
    shared = [factor for factor in parts[0][1] if all(factor in factors for _, factors in parts)][:1]
    if len(parts) == 1:
        whole = _product(parts[0][0], parts[0][1])
        return f"{whole}/{bottom}" if bottom > 1 else whole
    if shared and common > 0:
        inner = _sum([(number // common, _without(factors, shared[0])) for number, factors in parts])
        whole = _product(common, [shared[0], f"({inner})"])
    else:
        whole = _sum(parts)
        whole = f"({whole})" if bottom > 1 else whole
    return f"{whole}/{bottom}" if bottom > 1 else whole


def _ratio(term: Term, letters: list[str]) -> str:
    factor, factors = term.top / term.bottom, _factors(term, letters, is_exact=False)
    number = f"{factor:.{_MOST_DIGITS}g}"
    if "e" in number:
        number = f"{Decimal(number):f}"
    powers = _product(1, factors)
    return powers if number == "1" or not factors else f"{number}*{powers}"


def _factors(term: Term, letters: list[str], *, is_exact: bool) -> list[str]:
    """Return the factors of a term, each power taken apart, so that what terms share can be seen."""
    factors = []
    for letter, halves in zip(letters, term.halves, strict=False):
        factors += [letter] * (halves // 2)
        factors += [f"floor(sqrt({letter}))" if is_exact else f"sqrt({letter})"] * (halves % 2)
    if term.logarithm == "log2":
        factors.append(f"floor(log2({letters[-1]}))" if is_exact else f"log2({letters[-1]})")
    elif term.logarithm:
        factors.append(f"ln(ln({letters[0]}))")
    if term.base:
        factors.append(f"{term.base / 10_000:.4g}^{letters[0]}")
    return factors


def _without(factors: list[str], shared: str) -> list[str]:
    rest = [*factors]
    rest.remove(shared)
    return rest


def _product(number: int, factors: list[str]) -> str:
    powers = [
        f"{factor}^{factors.count(factor)}" if factors.count(factor) > 1 else factor
        for factor in dict.fromkeys(factors)
    ]
    if not powers:
        return str(number)
    if abs(number) == 1:
        return "*".join(powers) if number > 0 else f"-{'*'.join(powers)}"
    return "*".join([str(number), *powers])


def _sum(parts: list[tuple[int, list[str]]]) -> str:
    words = ""
    for number, factors in sorted(parts, key=lambda part: parts[0][0] < 0 and part[0] < 0):
        product = _product(abs(number), factors)
        words += f"-{product}" if number < 0 else f"+{product}" if words else product
    return words
