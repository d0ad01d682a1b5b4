"""What people read is translatable: in translate or blocktranslate in templates, in calls of gettext in modules.

No script has a sentence.
"""

import ast
import re
from collections.abc import Iterator, Mapping
from html import unescape
from html.parser import HTMLParser
from pathlib import Path

import pytest
from django.conf import settings
from django.template.base import Lexer, Token, TokenType

WEB = Path(settings.BASE_DIR) / "web"
ROOMS = ("presentation", "views", "forms", "identity", "templatetags")
TEMPLATES = WEB / "templates"
SCRIPTS = WEB / "frontend"
READ_ATTRIBUTES = {"title", "aria-label", "placeholder", "alt", "data-label", "data-choose-hint", "label"}
SAID_BY_SCRIPTS = "data-say-"  # so the attributes begin that have the sentences of web/frontend
NOT_PROSE = {"code", "kbd", "script", "style"}  # samples of code, keys, programs
NAMES = {"Tally", "UTC", "CSV", "JSON", "MiB", "LaTeX", "A", "B", "problems/"}  # product, units, formats, an address
ARGUMENTS = {"place", "examination", "class"}  # of include: parts of ids, addresses and styles
NAMES_IN_SCRIPTS = {"Enter", "Escape", "Files", "INPUT", "Mod-Enter", "NFC", "POST"}  # of the browser and of CodeMirror
_LITERAL_OR_COMMENT = re.compile(r"""//[^\n]*|"((?:[^"\\\n]|\\.)*)"|'((?:[^'\\\n]|\\.)*)'|`((?:[^`\\]|\\.)*)`""")
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

MODULES = [
    *(path for room in ROOMS for path in (WEB / room).rglob("*.py")),
    WEB / "server" / "middleware.py",
]
MARKS = {"_", "gettext", "gettext_lazy", "gettext_noop", "ngettext", "ngettext_lazy", "pgettext", "pgettext_lazy"}
UNITS = {"ms", "s", "KiB", "MiB", "GiB", "UTC"}  # beside a number
# Texts of modules that are for no reader, or are no words.
ALLOWED: Mapping[str, set[str]] = {
    "forms/typed/functions.py": {"from {stem} import solve", "int solve(int n);", "mod {stem};"},  # lines of programs
    "identity/language.py": {"Lax"},  # of a cookie
    "identity/login_throttle.py": {"Lax", "SELECT pg_try_advisory_xact_lock(%s, %s)"},
    "views/account/page.py": {"text/plain; charset=utf-8"},
    "presentation/welcome/example.py": {"manage.py record_example"},  # a command
    "access/rounding.py": {"under \0"},  # in files for programs: CSV and JSON
    "presentation/setter/uploads.py": {"to come"},  # names a style
    "views/operations.py": {  # for who fetches the metrics with a program
        "Set TALLY_METRICS_TOKEN and send it as a bearer token; without one only this machine itself may read this.\n",
        "text/plain; charset=utf-8",
    },
    "views/experiments.py": {"text/csv; charset=utf-8"},
    "views/submissions/results.py": {"text/csv; charset=utf-8"},
    "views/problems/problems.py": {"private, max-age=31536000, immutable"},
    "views/account/openid.py": {"Location", "Refresh", "0; url=\0"},  # headers
    "identity/signing_up.py": {"SELECT pg_advisory_xact_lock(%s, %s)"},
    "identity/user_names.py": {"SELECT pg_advisory_xact_lock(%s, %s)"},
    "presentation/paging.py": {"RowT"},  # a type
    "views/problems/preview.py": {"SELECT pg_try_advisory_xact_lock(%s, %s)", "Markdown"},
    "identity/preferences.py": {  # names of the IANA database
        *("Africa", "America", "Antarctica", "Arctic", "Asia"),
        *("Atlantic", "Australia", "Europe", "Indian", "Pacific"),
    },
    "forms/typed/draft.py": {"Markdown"},
    "forms/typed/files.py": {"UploadedFile[bytes]"},  # a type
    "forms/problems.py": {"True"},
    "forms/rejudges.py": {"ada, grace"},  # names of users, as an example
}
_MARKUP = re.compile(r"""<[^<>]*>|[\w-]+="[^"]*\"""")
_HEADER = re.compile(r"[A-Z][a-z]+(-[A-Z][a-z]+)+")  # of HTTP


@pytest.mark.parametrize("path", sorted(TEMPLATES.rglob("*.html")), ids=lambda path: str(path.relative_to(TEMPLATES)))
def test_every_sentence_is_translatable(path: Path) -> None:
    assert untranslated(path.read_text()) == []


@pytest.mark.parametrize("path", sorted(SCRIPTS.rglob("*.js")), ids=lambda path: path.name)
def test_no_script_has_a_sentence(path: Path) -> None:
    assert sentences_in_script(path.read_text()) == []


def test_sentence_in_a_script_is_found() -> None:
    source = """say("It failed."); f('form.choose', `${n}`); // "Not this"\nsay(`Sent ${n}`, box.dataset.saySent);"""
    assert sentences_in_script(source) == ["It failed.", "Sent ${n}"]


def sentences_in_script(source: str) -> list[str]:
    """The literals that begin with a capital letter: a script takes its sentences from attributes of the page."""
    literals = ("".join(found) for found in _LITERAL_OR_COMMENT.findall(source))
    return [literal for literal in literals if literal[:1].isupper() and literal not in NAMES_IN_SCRIPTS]


def test_what_is_outside_is_found() -> None:
    assert untranslated('<p data-say-failed="It failed."></p>') == ["data-say-failed: It failed."]
    assert untranslated("<p>Nothing here</p>") == ["Nothing here"]
    assert untranslated('<p title="Nothing {{ here }}"></p>') == ["title: Nothing \0"]
    assert untranslated('{% include "a.html" with help="Say it" %}') == ["help=Say it"]
    assert untranslated('{{ n }}<b>{% translate "case" %}{{ n|pluralize }}</b>') == ["pluralize"]
    assert untranslated('{{ name|default:"nobody" }}') == ["\0nobody"]
    assert untranslated("""<b class="{{ verdict|default:'pending' }}" title="{{ day|date:'c' }}">""") == []
    assert untranslated("{% blocktranslate %}All <b>well</b>{% endblocktranslate %} · <code>x</code> · Tally") == []


@pytest.mark.parametrize("path", sorted(MODULES), ids=lambda path: str(path.relative_to(WEB)))
def test_every_sentence_of_a_module_is_marked(path: Path) -> None:
    allowed = ALLOWED.get(str(path.relative_to(WEB)), set())
    outside = set(unmarked(path.read_text()))
    assert outside - allowed == set(), "put it into a call of gettext, as a whole sentence with named placeholders"
    assert allowed - outside == set(), "it is not there any more: remove it from ALLOWED"


def test_an_unmarked_sentence_is_found() -> None:
    assert list(unmarked('title = "Nothing here"')) == ["Nothing here"]
    assert list(unmarked('title = "Discarded"')) == ["Discarded"]
    assert list(unmarked("title = f'{n} of {m} judged'")) == ["\0 of \0 judged"]
    assert list(unmarked('title = f\'{_("Judged")}: {"so far" if n else 0:,}\'')) == ["so far"]
    assert list(unmarked("title = _(f'{n} cases')")) == ["\0 cases"]  # no catalogue has it
    assert list(unmarked("row = f'{bar} <b class=\"x\">no case</b>'")) == ['\0 <b class="x">no case</b>']
    assert list(unmarked('raise ValidationError("No such thing.")')) == ["No such thing."]
    assert list(unmarked('messages.error(request, "No such thing.")')) == ["No such thing."]


def test_what_nobody_reads_is_passed_over() -> None:
    assert list(unmarked('def f(x: "Any thing") -> "Any thing":\n    """Some words."""')) == []
    assert list(unmarked('_("Nothing here") % {"n": 1}; ngettext("One thing", "%(n)s things", n)')) == []
    assert list(unmarked('raise KeyError("no such thing")')) == []
    assert list(unmarked('assert x, "no such thing"; _logger.error("it is gone: %s", x)')) == []
    assert list(unmarked('a = f"{n:,} ms", "50 %", "Cache-Control", "<b class=x>{}</b>", r"(?:ms|a byte)"')) == []
    assert list(unmarked("a = f'{bar} <b class=\"x y\">{n}</b>', ' class=\"x y\"'")) == []


def unmarked(source: str) -> Iterator[str]:
    """The texts for people in a module that stand in no call of gettext; what is put into one of them is "\\0"."""
    yield from _unmarked_in(ast.parse(source))


def _unmarked_in(node: ast.AST) -> Iterator[str]:
    if isinstance(node, ast.Call) and _name(node.func) in MARKS:
        yield from (_text_of(part) or "" for part in node.args if isinstance(part, ast.JoinedStr))
    if _is_for_nobody(node):
        return
    text = _text_of(node)
    if text is not None and _is_said(text):
        yield text
    for name, value in ast.iter_fields(node):
        if name in ("annotation", "returns", "format_spec") or (text is not None and name == "value"):
            continue
        for child in value if isinstance(value, list) else [value]:
            is_part = isinstance(node, ast.JoinedStr) and isinstance(child, ast.Constant)
            if isinstance(child, ast.AST) and not is_part:
                yield from _unmarked_in(child)


def _is_for_nobody(node: ast.AST) -> bool:
    """A marked text, a docstring, what developers and operators read: of exceptions but those of forms, of logs."""
    if isinstance(node, ast.Expr):
        return isinstance(node.value, ast.Constant)
    if isinstance(node, ast.Raise):
        return not (isinstance(node.exc, ast.Call) and _name(node.exc.func) == "ValidationError")
    if isinstance(node, ast.Call):
        is_log = isinstance(node.func, ast.Attribute) and _name(node.func.value) == "_logger"
        return is_log or _name(node.func) in MARKS
    return isinstance(node, ast.Assert)


def _name(node: ast.AST) -> str:
    return node.id if isinstance(node, ast.Name) else node.attr if isinstance(node, ast.Attribute) else ""


def _text_of(node: ast.AST) -> str | None:
    if isinstance(node, ast.JoinedStr):
        return "".join(str(part.value) if isinstance(part, ast.Constant) else "\0" for part in node.values)
    return node.value if isinstance(node, ast.Constant) and isinstance(node.value, str) else None


def _is_said(text: str) -> bool:
    """Whether it is a phrase or begins like a label; markup and regular expressions are neither."""
    if text.startswith("<") or any(mark in text for mark in ("\\b", "\\(", "(?")) or _HEADER.fullmatch(text):
        return False
    if re.match(r"[A-Z][a-z]", text):
        return text not in NAMES | UNITS
    words = set(re.findall(r"[^\W\d_]{2,}", _MARKUP.sub("", text)))
    return " " in text and bool(words - UNITS - NAMES)


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
            if (name in READ_ATTRIBUTES or name.startswith(SAID_BY_SCRIPTS)) and _is_prose(value or ""):
                self.wrong.append(f"{name}: {value}")

    def handle_endtag(self, tag: str) -> None:
        self._not_prose -= tag in NOT_PROSE

    def handle_data(self, data: str) -> None:
        if not self._not_prose and _is_prose(data):
            self.wrong.append(data.strip())


def _is_prose(text: str) -> bool:
    pieces = re.split(r"[\0·\s]+", unescape(text))
    return any(_WORD.search(piece) and piece not in NAMES for piece in pieces)
