"""Every template: what people read stands in translate or blocktranslate, whole."""

import re
from html import unescape
from html.parser import HTMLParser
from pathlib import Path

import pytest
from django.conf import settings
from django.template.base import Lexer, Token, TokenType

TEMPLATES = Path(settings.BASE_DIR) / "web" / "templates"
READ_ATTRIBUTES = {"title", "aria-label", "placeholder", "alt", "data-label", "data-choose-hint", "label"}
NOT_PROSE = {"code", "kbd", "script", "style"}  # samples of code, keys, programs
NAMES = {"Tally", "UTC", "CSV", "JSON", "MiB", "LaTeX", "A", "B", "problems/"}  # product, units, formats, an address
ARGUMENTS = {"place", "examination", "class"}  # of include: parts of ids, addresses and styles
_WORD = re.compile(r"[^\W\d_]")
_ARGUMENT = re.compile(r"""\b(\w+)=(?:"([^"]*)"|'([^']*)')""")
_LITERAL = re.compile(r"""\|(\w+):(?:"([^"]*)"|'([^']*)')""")
_NOT_SHOWN = {
    "date",
    "json_script",
    "floatformat",
    "cut",
    "slice",
    "divisibleby",
}  # filters whose argument is no text of the page


@pytest.mark.parametrize("path", sorted(TEMPLATES.rglob("*.html")), ids=lambda path: str(path.relative_to(TEMPLATES)))
def test_every_sentence_is_translatable(path: Path) -> None:
    assert untranslated(path.read_text()) == []


def test_what_is_outside_is_found() -> None:
    assert untranslated("<p>Nothing here</p>") == ["Nothing here"]
    assert untranslated('<p title="Nothing {{ here }}"></p>') == ["title: Nothing \0"]
    assert untranslated('{% include "a.html" with help="Say it" %}') == ["help=Say it"]
    assert untranslated('{{ n }}<b>{% translate "case" %}{{ n|pluralize }}</b>') == ["pluralize"]
    assert untranslated('{{ name|default:"nobody" }}') == ["\0nobody"]
    assert untranslated("""<b class="{{ verdict|default:'pending' }}" title="{{ day|date:'c' }}">""") == []
    assert untranslated("{% blocktranslate %}All <b>well</b>{% endblocktranslate %} · <code>x</code> · Tally") == []


def untranslated(source: str) -> list[str]:
    """The texts, attributes and arguments with letters that stand outside of translate tags."""
    wrong: list[str] = []
    html: list[str] = []
    is_inside = is_style = False
    for token in Lexer(source).tokenize():
        words = token.contents.split()
        if token.token_type is TokenType.TEXT:
            html.append("" if is_inside or is_style else token.contents)
            continue
        is_inside = (is_inside or words[:1] == ["blocktranslate"]) and words[:1] != ["endblocktranslate"]
        is_style = words[:2] == ["block", "width"]
        html.append(_shown_by(token))
        wrong += _in_tag(token, is_style)
    reader = _Reader()
    reader.feed("".join(html))
    reader.close()
    return wrong + reader.wrong


def _shown_by(token: Token) -> str:
    """What stands for the token in the HTML: of a variable a mark that is no letter, and the texts of its filters."""
    if token.token_type is not TokenType.VAR:
        return " "
    texts = (double or single for name, double, single in _LITERAL.findall(token.contents) if name not in _NOT_SHOWN)
    return "".join(["\0", *texts])


def _in_tag(token: Token, is_style: bool) -> list[str]:
    wrong = []
    if token.contents.startswith("include ") and not is_style:
        wrong += [
            f"{name}={double or single}"
            for name, double, single in _ARGUMENT.findall(token.contents)
            if name not in ARGUMENTS and _WORD.search(double or single)
        ]
    if "|pluralize" in token.contents:
        wrong.append("pluralize")  # glues a plural to a word; blocktranslate has plural
    return wrong


class _Reader(HTMLParser):
    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.wrong: list[str] = []
        self._not_prose = 0

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self._not_prose += tag in NOT_PROSE
        for name, value in attrs:
            if name in READ_ATTRIBUTES and _is_prose(value or ""):
                self.wrong.append(f"{name}: {value}")

    def handle_endtag(self, tag: str) -> None:
        self._not_prose -= tag in NOT_PROSE

    def handle_data(self, data: str) -> None:
        if not self._not_prose and _is_prose(data):
            self.wrong.append(data.strip())


def _is_prose(text: str) -> bool:
    pieces = re.split(r"[\0·\s]+", unescape(text))
    return any(_WORD.search(piece) and piece not in NAMES for piece in pieces)
