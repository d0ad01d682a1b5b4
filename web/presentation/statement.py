"""A problem's statement as its page shows it: in the reader's language, with its samples in their places."""

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain

from django.urls import reverse
from django.utils.safestring import SafeString, mark_safe
from django.utils.translation import get_language, get_language_info, gettext as _
from django.utils.translation.trans_real import parse_accept_lang_header

from problems.models import ProblemVersion
from problems.package import PageFile, Sample, Translation
from problems.statement.rendering import ATTACHMENT, PDF
from problems.statement.samples import offered_name
from problems.statement.statement import SAMPLES_HERE
from problems.statement.statement_files import ATTACHMENTS

_MATH_IN_TEXT = re.compile(r'(\(?)(<math(?![^>]*display="block")[^>]*>.*?</math>)([).,;:?!가-힣]*)', re.DOTALL)
_FOOTNOTES = '<section id="statement-footnotes"'  # samples without a place of their own go before them
_PLACE = 'src="files/'  # of pictures: sanitising lets no other src through
_A_FILE = "x"
CHOSEN = "chosen"  # the folder of pictures that were chosen in a form and not sent yet
_HINTS = re.compile(r'<h(?P<level>[1-6]) id="statement-what-to-look-at">.*?</h(?P=level)>', re.DOTALL)
_FOLDED, _OPEN = '<details class="hints-of-statement">', '<details class="hints-of-statement" open>'
_FRAMES = ("div", "section", "blockquote", "table", "ul", "ol", "figure")
_SCRIPTS = {"zh": "zh-hans"}  # what is meant where nothing is said


@dataclass(frozen=True, kw_only=True, slots=True)
class Download:
    """A file that the page offers."""

    name: str  # as it will be called on the reader's disk
    label: str  # where it lies below attachments/
    address: str
    size_bytes: int


@dataclass(frozen=True, kw_only=True, slots=True)
class ShownSample:
    """A sample with its number, from 1, and its files."""

    number: int
    texts: Sample
    downloads: tuple[Download, ...] = ()


@dataclass(frozen=True, kw_only=True, slots=True)
class Part:
    """A piece of the statement, and the samples that come after it. `is_rest`: those that have no place in the text."""

    html: SafeString
    samples: tuple[ShownSample, ...] = ()
    is_rest: bool = False

    @property
    def sample_numbers(self) -> str:
        return ", ".join(str(sample.number) for sample in self.samples)


@dataclass(frozen=True, kw_only=True, slots=True)
class Language:
    """A language in which there is a statement."""

    code: str
    name: str  # in itself: "Svenska"


@dataclass(frozen=True, kw_only=True, slots=True)
class ShownStatement:
    """One version's statement in one language."""

    title: str
    language: Language
    is_right_to_left: bool
    parts: tuple[Part, ...]
    is_text: bool  # False: there is none, or only a PDF
    instead: str  # the sentence that says why it is not in the interface's language; "": it is
    languages: tuple[Language, ...]  # all
    pdfs: tuple[Download, ...] = ()  # of this language
    attachments: tuple[Download, ...] = ()
    sample_count: int = 0


Address = Callable[[str], str]  # of a file by its name in the package


def of_version(slug: str, number: int) -> Address:
    """Return the addresses of a published version's files."""
    return lambda name: reverse("problem_file", args=[slug, number, name])


def of_upload(number: int) -> Address:
    """Return the addresses of the files of a package that is not published."""
    return lambda name: reverse("upload_file", args=[number, name])


def shown_statement(
    version: ProblemVersion, address: Address, requested: str, accepted: str, *, has_tried: bool = True
) -> ShownStatement:
    """Return the statement in the language that `chosen_language` chooses.

    `accepted`: what the reader chose and what the browser prefers, as an Accept-Language header. `has_tried`: the
    reader has submitted a program, so the section of hints stands open.
    """
    first = Translation(language=version.statement_language, title=version.title, html=version.statement_html)
    statements = {statement.language: statement for statement in (first, *version.translations)}
    interface = get_language() or ""
    chosen = statements[chosen_language(list(statements), requested, accepted, interface)]
    html = with_hints_folded(chosen.html, is_open=has_tried).replace(_PLACE, f'src="{_prefix(address)}')
    samples = []
    for number, sample in enumerate(version.samples, 1):
        served = (name for name in sample.downloads if name in version.files)
        downloads = tuple(_download(name, version.files[name], address) for name in served)
        samples.append(ShownSample(number=number, texts=sample, downloads=downloads))
    files = sorted(version.files.items())
    pdf_files = [(name, file) for name, file in files if file.kind == PDF and file.language == chosen.language]
    pdfs = tuple(_download(name, file, address) for name, file in pdf_files)
    is_missing = bool(chosen.html or pdfs) and _nearest(statements, interface) is None
    instead = _("This problem has no statement in %(missing)s; this is the %(shown)s one.")
    names = {"missing": name_for_readers(interface), "shown": name_for_readers(chosen.language)}
    return ShownStatement(
        title=chosen.title,
        language=_language(chosen.language),
        is_right_to_left=bool(_known(chosen.language).get("bidi")),
        parts=tuple(_parts(html, samples)),
        is_text=bool(chosen.html),
        instead=instead % names if is_missing else "",
        languages=tuple(_language(code) for code in statements),
        pdfs=pdfs,
        attachments=tuple(_download(name, file, address) for name, file in files if file.kind == ATTACHMENT),
        sample_count=len(samples),
    )


def preview_parts(html: str, sample_count: int, address: Address | None) -> tuple[Part, ...]:
    """Return an unfinished statement; its samples have numbers only.

    Its pictures have an `address`, but for those below CHOSEN: the browser has these, and knows them by data-chosen.
    """
    html = html.replace(f"{_PLACE}{CHOSEN}/", 'data-chosen="')
    if address is not None:
        html = html.replace(_PLACE, f'src="{_prefix(address)}')
    numbers = range(1, sample_count + 1)
    samples = [ShownSample(number=number, texts=Sample(name=str(number))) for number in numbers]
    return tuple(_parts(html, samples))


def chosen_language(available: Sequence[str], requested: str, accepted: str, interface: str) -> str:
    """Return one of the languages: the one asked for, else the best accepted, else the interface's, else the first."""
    preferences = (requested, *(code for code, _quality in parse_accept_lang_header(accepted.lower())), interface)
    return next((near for code in preferences if (near := _nearest(available, code))), available[0])


def with_math_kept_together(statement_html: str) -> SafeString:
    """Return the sanitised statement, with a formula and the brackets, stops or particles that touch it on one line.

    A browser may break a line on either side of a formula, whatever stands there (CSS Text 3, section 5.1).
    """

    def kept_together(match: re.Match[str]) -> str:
        before, _formula, after = match.groups()
        return f'<span class="together">{match.group()}</span>' if before or after else match.group()

    return mark_safe(_MATH_IN_TEXT.sub(kept_together, statement_html))  # noqa: S308 - only <span> is added


def with_hints_folded(statement_html: str, *, is_open: bool) -> str:
    """Return the statement with its section of hints in a part that folds: it gives the solution away.

    The section is the one under the heading with the id "what-to-look-at": "What to look at" has it by itself, a
    heading in another language by Markdown's `{#what-to-look-at}` or LaTeX's label.

    The section ends at the next heading of its level or a higher one, and never around half an element or a sample.
    """
    heading = _HINTS.search(statement_html)
    if heading is None:
        return statement_html
    ending = re.compile(rf"<h[1-{heading['level']}][ >]|{re.escape(_FOOTNOTES)}")
    following = ending.search(statement_html, heading.end())
    end = following.start() if following else len(statement_html)
    section = statement_html[heading.end() : end]
    if SAMPLES_HERE.search(section) or any(section.count(f"<{tag}") != section.count(f"</{tag}>") for tag in _FRAMES):
        return statement_html
    summary = f"<summary>{heading[0]}</summary>"
    folded = f"{_OPEN if is_open else _FOLDED}{summary}{section}</details>"
    return statement_html[: heading.start()] + folded + statement_html[end:]


def _prefix(address: Address) -> str:
    return address(_A_FILE).removesuffix(_A_FILE)


def _download(name: str, file: PageFile, address: Address) -> Download:
    label = name.removeprefix(f"{ATTACHMENTS}/")
    return Download(name=offered_name(name), label=label, address=address(name), size_bytes=file.bytes)


def _parts(html: str, samples: Sequence[ShownSample]) -> Iterable[Part]:
    """Return the statement cut where it wants samples; the others come at its end, before the footnotes."""
    pieces = SAMPLES_HERE.split(html)  # text, positions, text, positions, ..., text
    places = [map(int, positions.split()) for positions in pieces[1::2]]
    placed = [[samples[position] for position in positions if position < len(samples)] for positions in places]
    for text, here in zip(pieces[0::2], placed, strict=False):  # there is one text more
        yield Part(html=with_math_kept_together(text), samples=tuple(here))
    numbers = {sample.number for sample in chain.from_iterable(placed)}
    text, mark, notes = pieces[-1].partition(_FOOTNOTES)
    rest = tuple(sample for sample in samples if sample.number not in numbers)
    yield Part(html=with_math_kept_together(text), samples=rest, is_rest=True)
    if notes:
        yield Part(html=with_math_kept_together(mark + notes))


def _nearest(available: Iterable[str], language: str) -> str | None:
    """Return the existing language that is the wanted one, else one that differs only in the place: pt-BR for pt."""
    by_code = {code.lower(): code for code in available}
    code = language.lower()
    spoken = code.split("-")[0]
    return by_code.get(code) or next((by_code[other] for other in by_code if other.split("-")[0] == spoken), None)


def name_for_readers(code: str) -> str:
    """Return the name of a language in the reader's: "Korean"."""
    return str(_known(code).get("name_translated") or code)


def _language(code: str) -> Language:
    name = _known(code).get("name_local")
    return Language(code=code, name=f"{str(name)[:1].upper()}{str(name)[1:]}" if name else code)


def _known(code: str) -> Mapping[str, object]:
    """Return Django's facts about a language; it has Chinese by script or place only."""
    try:
        return dict(get_language_info(_SCRIPTS.get(code.lower(), code.lower())))
    except KeyError:
        return {}
