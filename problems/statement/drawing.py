"""Have the pictures of statements drawn that no browser shows: PDFs beside a statement, and TikZ pictures in it.

Both are programs of strangers, so whoever calls this draws them in a jail (`judge.grading.verification.pictures`). What
comes out lies in the package beside the statement, like any picture: `a.pdf.svg` beside `a.pdf`. Only what a statement
shows is drawn, since whatever lies there can be read by everybody. It is drawn anew each time, so that it fits.
"""

from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path

from problems.format.files import package_digest
from problems.package import Attachment, Package, PackageError
from problems.statement.pictures import DRAWN
from problems.statement.rendering import RenderedPackage, folder_beside, render_package
from problems.translation import Sentence

MOST_DRAWN = 60
_TOO_MANY = Sentence("a package has too many pictures to be drawn")


class NotDrawn(Exception):
    """A picture could not be drawn; `why` is for the setter."""

    def __init__(self, why: Sentence) -> None:
        super().__init__(str(why))
        self.why = why


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
