"""Draw pictures of statements that no browser shows: PDFs by pdftocairo, TikZ by TeX where one is installed.

How it works: both run in a jail with tools, without network, as a user that exists nowhere else, with limits on time,
memory and output. TeX may start no program, and reads and writes no path that leads out of its folder. A document of
TeX becomes a PDF; of a PDF, the first page becomes an SVG, or a PNG where the SVG would be large. What comes out is as
untrusted as what goes in: the site serves it, like every picture of a package, so that it runs and loads nothing.

Source: pdftocairo(1), pdfinfo(1); openin_any and openout_any in texmf.cnf.
"""

import re
import shutil
from dataclasses import dataclass, field, replace
from pathlib import Path

from problems.statement.rendering import NotDrawn, Picture
from problems.translation import Sentence
from sandbox.types import MIB, Collect, Command, Ending, Image, JailSpec, Limits, Mount, Outcome, Sandbox
from sandbox.workdir import fresh_folder

_SVG_BYTES, _PNG_BYTES, _PDF_BYTES = MIB, 4 * MIB, 16 * MIB
_PNG_FLAGS = ("-png", "-singlefile", "-r", "144")  # it adds the extension itself
LIMITS = Limits(
    cpu_time_ms=10_000,
    wall_time_ms=30_000,
    memory_bytes=1_024 * MIB,
    output_bytes=MIB,
    stderr_bytes=MIB,
    scratch_bytes=128 * MIB,
    file_bytes=64 * MIB,
    overrun_percent=0,
)
_PDFTOCAIRO, _PDFINFO = Path("/usr/bin/pdftocairo"), Path("/usr/bin/pdfinfo")
_ENGINES = ("pdflatex", "lualatex")  # the first one that is installed
_SHOWN = "/drawing"  # where a jail shows what is to be drawn
_SETTINGS = tuple(map(Path, ("/etc/fonts", "/etc/texmf", "/var/lib/texmf")))  # of the programs, where they exist
_TEX_FLAGS = ("-no-shell-escape", "-interaction=nonstopmode", "-halt-on-error")
_TEX_ENVIRONMENT = {"openin_any": "p", "openout_any": "p", "TEXMFVAR": "/tmp/texmf", "MKTEXPK": "0", "MKTEXTFM": "0"}  # noqa: S108 - the jail's own
_PAGES = re.compile(rb"^Pages:\s+(\d{1,9})$", re.MULTILINE)
_TEX_ERROR = re.compile(rb"^! ([^\n]{1,200})", re.MULTILINE)
_MOST_WORDS = 200


def installed_tex() -> Path | None:
    """Return the program that makes a PDF of a LaTeX document; None if this host has none."""
    return next((Path(path) for name in _ENGINES if (path := shutil.which(name))), None)


@dataclass(frozen=True, kw_only=True, slots=True)
class Drawer:
    """Draws pictures, on the core `cpu` (None: any). `tex` is a program's path in the jail, `mounts` what shows it."""

    sandbox: Sandbox
    work_root: Path
    cpu: int | None = None
    tex: Path | None = field(default_factory=installed_tex)
    mounts: tuple[Mount, ...] = ()

    def draw(self, source: Path | str) -> Picture:
        """Return the picture of a PDF's first page, or of a LaTeX document. Raises NotDrawn, SandboxError."""
        with fresh_folder(self.work_root, "drawing-") as folder:
            (folder / "shown").mkdir()
            (folder / "shown").chmod(0o711)
            drawing = _Drawing(drawer=self, folder=folder)
            if isinstance(source, str):
                drawing.typeset(source)
            elif source.stat().st_size > _PDF_BYTES:
                raise NotDrawn(Sentence("it is larger than %(most)s MiB", most=_PDF_BYTES // MIB))
            else:
                shutil.copyfile(source, drawing.pdf)
            return drawing.picture()


@dataclass(frozen=True, kw_only=True, slots=True)
class _Drawing:
    """One picture while it is drawn. The jail shows `folder`/shown only."""

    drawer: Drawer
    folder: Path

    @property
    def pdf(self) -> Path:
        return self.folder / "shown" / "picture.pdf"

    def typeset(self, document: str) -> None:
        """Make the PDF of a LaTeX document. Raises NotDrawn."""
        tex = self.drawer.tex
        if tex is None:
            raise NotDrawn(Sentence("no TeX is installed on this worker"))
        (self.folder / "shown" / "picture.tex").write_text(document)
        command = Command(
            argv=(str(tex), *_TEX_FLAGS, "picture.tex"),
            environment=_TEX_ENVIRONMENT,
            files=(("picture.tex", f"{_SHOWN}/picture.tex"),),
            collect=(Collect(name="picture.pdf", target=self.pdf, max_bytes=_PDF_BYTES),),
        )
        if self._run(command).exit_code != 0 or not self.pdf.is_file():
            error = _TEX_ERROR.search(self._said)
            raise NotDrawn(_complaint("TeX", error[1] if error else b""))

    def picture(self) -> Picture:
        """Return the picture of the PDF's first page. Raises NotDrawn."""
        if not _PDFTOCAIRO.is_file():
            raise NotDrawn(Sentence("pdftocairo is not installed on this worker"))
        self.pdf.chmod(0o644)
        pdf = f"{_SHOWN}/{self.pdf.name}"
        is_read = self._run(Command(argv=(str(_PDFINFO), pdf))).exit_code == 0
        pages = _PAGES.search(self._said)
        if not is_read or pages is None or int(pages[1]) == 0:
            raise NotDrawn(_complaint("pdfinfo", self._errors))
        for suffix, flags, most in ((".svg", ("-svg",), _SVG_BYTES), (".png", _PNG_FLAGS, _PNG_BYTES)):
            output = self.folder / f"made{suffix}"
            command = Command(
                argv=(str(_PDFTOCAIRO), *flags, "-f", "1", "-l", "1", pdf, output.name if suffix == ".svg" else "made"),
                collect=(Collect(name=output.name, target=output, max_bytes=most),),
            )
            if self._run(command).exit_code != 0:
                raise NotDrawn(_complaint("pdftocairo", self._errors))
            if output.is_file():
                return Picture(content=output.read_bytes(), suffix=suffix, pages=int(pages[1]))
        raise NotDrawn(Sentence("it would be larger than %(most)s MiB", most=_PNG_BYTES // MIB))

    @property
    def _said(self) -> bytes:
        return (self.folder / "said").read_bytes()

    @property
    def _errors(self) -> bytes:
        return (self.folder / "errors").read_bytes()

    def _run(self, command: Command) -> Outcome:
        """Run the program in a jail of its own. Raises NotDrawn unless it ended by itself."""
        stdout, errors = self.folder / "said", self.folder / "errors"
        for stream in (stdout, errors):
            stream.unlink(missing_ok=True)
        settings = (Mount(source=path, target=str(path)) for path in _SETTINGS if path.is_dir())
        mounts = (Mount(source=self.folder / "shown", target=_SHOWN), *settings, *self.drawer.mounts)
        with self.drawer.sandbox.open_jail(JailSpec(mounts=mounts, image=Image.TOOLS, cpu=self.drawer.cpu)) as jail:
            outcome = jail.run(replace(command, stdout=stdout, stderr=errors), LIMITS)
        if outcome.ending is not Ending.EXITED:
            raise NotDrawn(Sentence("it takes too much time or memory to be drawn"))
        return outcome


def _complaint(program: str, words: bytes) -> Sentence:
    text = " ".join(words.decode("utf-8", "replace").split())[:_MOST_WORDS]
    if not text:
        return Sentence("%(program)s cannot read it", program=program)
    return Sentence("%(program)s cannot read it: %(words)s", program=program, words=text)
