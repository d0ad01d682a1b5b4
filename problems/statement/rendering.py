"""Render everything that a problem's page shows of its package: statements, pictures, samples, attachments.

What is drawn: pictures of statements that no browser shows, PDFs beside a statement and TikZ pictures in it. Both are
programs of strangers, so whoever calls this draws them in a jail (`judge.grading.verification.pictures`). What comes
out lies in the package beside the statement, like any picture: `a.pdf.svg` beside `a.pdf`. Only what a statement shows
is drawn, since whatever lies there can be read by everybody. It is drawn anew each time, so that it fits.
"""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path, PurePosixPath

from problems.format.files import package_digest
from problems.format.included_files import TEMPLATES
from problems.package import Attachment, Package, PackageError, PackageErrors, PageFile, Sample, Translation
from problems.statement.pictures import DRAWN, Beside
from problems.statement.samples import ShownSample, shown, shown_samples
from problems.statement.statement import RenderedStatement, Surroundings, render_statement
from problems.statement.statement_files import ATTACHMENTS, FOLDERS
from problems.translation import Sentence, SentenceError

PICTURE, ATTACHMENT, PDF, SAMPLE = "picture", "attachment", "pdf", "sample"


@dataclass(frozen=True, kw_only=True, slots=True)
class RenderedPackage:
    """The rendered parts of a package for its page."""

    title: str
    language: str  # of the first statement
    html: str  # safe; empty: none, or a PDF only
    translations: tuple[Translation, ...]
    files: dict[str, PageFile]  # by name in the package
    samples: tuple[Sample, ...]
    warnings: tuple[Sentence, ...]
    pending: frozenset[str] = frozenset()  # as in RenderedStatement, of all statements
    pending_tikz: Mapping[str, str] = field(default_factory=dict)


def render_package(package: Package, undrawn: Mapping[str, Sentence] | None = None) -> RenderedPackage:
    """Return what the page shows. `undrawn`: why drawings that it wanted before were not drawn.

    Raises PackageErrors with every statement that cannot be rendered.
    """
    samples = shown_samples(package)
    pictures = {picture.name: f"{folder_beside(package, picture.name)}/{picture.name}" for picture in package.pictures}
    drawings = frozenset(drawing.name for drawing in package.drawings)
    around = Surroundings(
        beside=Beside(pictures=pictures, drawings=drawings, undrawn=undrawn or {}),
        samples=tuple(PurePosixPath(sample.sample.name).relative_to("sample").as_posix() for sample in samples),
        constants=package.constants,
    )
    rendered: dict[str, RenderedStatement] = {}  # by language
    errors: list[PackageError] = []
    for statement in package.statements:
        try:
            if statement.format != PDF:
                rendered[statement.language] = render_statement(statement, around)
        except PackageError as error:
            errors.append(error)
    if errors:
        raise PackageErrors(errors)
    titles = {statement.language: statement.title for statement in package.statements if statement.title}
    languages = list(dict.fromkeys(statement.language for statement in package.statements)) or ["en"]
    translations = [
        Translation(
            language=language,
            title=shown(titles.get(language, package.name)),
            html=rendered[language].html if language in rendered else "",
        )
        for language in languages
    ]
    return RenderedPackage(
        title=shown(package.name),
        language=languages[0],
        html=translations[0].html,
        translations=tuple(translations[1:]),
        files=dict(_files(package, pictures, samples)),
        samples=tuple(sample.sample for sample in samples),
        warnings=tuple(warning.with_values(shown) for statement in rendered.values() for warning in statement.warnings),
        pending=frozenset(name for statement in rendered.values() for name in statement.pending),
        pending_tikz={
            name: document for statement in rendered.values() for name, document in statement.pending_tikz.items()
        },
    )


def folder_beside(package: Package, name: str) -> str:
    """Return the statement folder that holds the file, else the one that is there: a package has one, rarely both."""
    there = [folder for folder in FOLDERS if (package.path / folder).is_dir()]
    return next((folder for folder in there if (package.path / folder / name).is_file()), (*there, FOLDERS[0])[0])


def _files(
    package: Package, pictures: dict[str, str], samples: Iterable[ShownSample]
) -> Iterable[tuple[str, PageFile]]:
    for picture in package.pictures:
        yield pictures[picture.name], _entry(PICTURE, picture.path)
    for attachment in package.attachments:
        name, entry = f"{ATTACHMENTS}/{attachment.name}", _entry(ATTACHMENT, attachment.path)
        if entry.bytes or not name.startswith(TEMPLATES):  # an empty one only says how the file is called
            yield name, entry
    for sample in samples:
        for name, path in sample.downloads:
            yield name, _entry(SAMPLE, path)
    for statement in package.statements:
        if statement.format == PDF:
            entry = replace(_entry(PDF, statement.path), language=statement.language)
            yield statement.path.relative_to(package.path).as_posix(), entry


def _entry(kind: str, path: Path) -> PageFile:
    return PageFile(kind=kind, bytes=path.stat().st_size)


MOST_DRAWN = 60
_TOO_MANY = Sentence("a package has too many pictures to be drawn")


class NotDrawn(SentenceError):
    """A picture could not be drawn; `why` is for the setter."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Picture:
    """A drawn picture: `suffix` is one of DRAWN; `pages` of the PDF, of which it is the first."""

    content: bytes
    suffix: str
    pages: int = 1


Draw = Callable[[Path | str], Picture]  # a PDF's path, or a LaTeX document; raises NotDrawn


def render_drawn(package: Package, draw: Draw, folder: Path) -> tuple[Package, RenderedPackage]:
    """Return the package with its drawn pictures, and what its page shows.

    These are written below `folder`, which may be the package's own. Raises PackageErrors, and what `draw` raises.
    """
    before = {drawing.name + suffix for drawing in package.drawings for suffix in DRAWN}
    package = replace(package, pictures=tuple(picture for picture in package.pictures if picture.name not in before))
    page = render_package(package)
    beside = {drawing.name: drawing.path for drawing in package.drawings}
    sources: dict[str, Path | str] = {name: beside[name] for name in sorted(page.pending)}
    sources |= page.pending_tikz
    if not sources:
        return package, page
    drawn: list[Attachment] = []
    undrawn: dict[str, Sentence] = {}
    warnings: list[Sentence] = []
    for number, (name, source) in enumerate(sources.items()):
        try:
            if number >= MOST_DRAWN:
                raise NotDrawn(_TOO_MANY)
            picture = draw(source)
        except NotDrawn as error:
            undrawn[name] = error.why
            continue
        path = folder / folder_beside(package, name) / (name + picture.suffix)
        path.parent.mkdir(parents=True, exist_ok=True)
        path.unlink(missing_ok=True)  # it may be a link to another file
        path.write_bytes(picture.content)
        drawn.append(Attachment(name=name + picture.suffix, path=path))
        if picture.pages > 1:
            why = Sentence("has %(number)s pages: the page shows the first one", number=picture.pages)
            warnings.append(PackageError(name, "", why).sentence)
    package = replace(package, pictures=(*package.pictures, *drawn))
    if folder == package.path:
        package = replace(package, digest=package_digest(package.path))
    page = render_package(package, undrawn)
    return package, replace(page, warnings=(*page.warnings, *warnings))
