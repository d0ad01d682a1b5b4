r"""One statement, Markdown or LaTeX, as safe HTML with MathML.

How it works: pandoc (a program of its own, from a wheel) reads the source from a pipe and writes HTML into a temporary
file, with `--sandbox` (it reads no other file, reaches no network), under a heap cap, resource limits and a time-out.
The HTML that comes out is as untrusted as the statement: only what `sanitising` allows gets through.
"""

import json
import re
import resource
import subprocess
import tempfile
from dataclasses import dataclass
from pathlib import Path

import pypandoc

from problems.package import PackageError, Statement
from problems.sanitising import sanitise
from problems.statements import MOST_BYTES
from problems.yamlfile import read_text

MIB = 1024 * 1024
PANDOC = Path(pypandoc.__file__).parent / "files" / "pandoc"
_HEAP = "-M512m"
_CPU_S = 10
_WALL_S = 20
_HTML_BYTES = 8 * MIB
_MOST_WARNINGS = 20
_READERS = {
    "markdown": "commonmark+tex_math_dollars+pipe_tables+footnotes+strikeout+gfm_auto_identifiers",
    "latex": "latex",
}
# On the source's first line, so that pandoc's line numbers stay true. Pictures are not shown yet.
_PRELUDE = (
    r"\newcommand{\problemname}[1]{}\newcommand{\illustration}[3]{}\newcommand{\includesample}[1]{}"
    r"\newcommand{\nextsample}{}\newcommand{\remainingsamples}{}"
    r"\newenvironment{Input}{\section*{Input}}{}\newenvironment{Output}{\section*{Output}}{}"
    r"\newenvironment{Interaction}{\section*{Interaction}}{}"
    r"\newenvironment{Sample}{}{}"
)
_SAMPLE_MARKS = re.compile(r"\{\{\s*(?:nextsample|remainingsamples)\s*\}\}")
_LAYOUT = re.compile(  # what pandoc leaves out without loss
    r"\\(?:[be]group|[vh]space|[vh]skip|[vh]fill|noindent|centering|(?:small|med|big)skip|(?:new|clear|page|line)\w*"
    r"|setlength|hline|cline|label|tiny|(?:script|footnote|normal)\w*|small|[Ll]arge|LARGE|[Hh]uge|par|raggedright"
    r"|(?:begin|end)\{(?:center|small|large|Sample|minipage|wrapfigure)\})"
)


@dataclass(frozen=True, kw_only=True, slots=True)
class RenderedStatement:
    """Safe HTML of a statement, headings from h2 down, ids beginning with "statement-"; and what got lost."""

    language: str
    html: str
    warnings: tuple[str, ...]


def render_statement(statement: Statement) -> RenderedStatement:
    """Return the statement as safe HTML. Raises PackageError when pandoc cannot make sense of it within its limits."""
    name = statement.path.name
    source = read_text(statement.path, name, MOST_BYTES)
    if statement.format == "latex":
        html, log = _pandoc(_PRELUDE + source, "latex", name, shift=1)
    else:
        source = _SAMPLE_MARKS.sub("", source)
        html, log = _pandoc(source, "markdown", name)
        if "<h1" in html:  # the page's own title is the only h1
            html, log = _pandoc(source, "markdown", name, shift=1)
    warnings = [f"{name}: {text}" for text in (*_lost(log), *_lost_pictures(source, html))]
    return RenderedStatement(
        language=statement.language, html=sanitise(html), warnings=tuple(warnings[:_MOST_WARNINGS])
    )


def _pandoc(source: str, kind: str, name: str, shift: int = 0) -> tuple[str, list[dict[str, object]]]:
    """Return pandoc's HTML and its log; `name` is the file to blame."""
    command = [str(PANDOC), "+RTS", _HEAP, "-RTS", "--sandbox", f"--from={_READERS[kind]}", "--to=html", "--mathml"]
    command += ["--id-prefix=statement-", "--syntax-highlighting=none", "--wrap=none", "--log=log.json"]
    command += [f"--shift-heading-level-by={shift}"]
    with tempfile.TemporaryDirectory(prefix="tally-statement-") as folder:
        out, log = Path(folder) / "out.html", Path(folder) / "log.json"
        with out.open("wb") as out_file:
            complaint = _run(command, source, Path(folder), out_file.fileno())
        if complaint is not None:
            raise PackageError(name, "", complaint)
        return out.read_text("utf-8"), json.loads(log.read_text("utf-8"))


def _run(command: list[str], source: str, folder: Path, out: int) -> str | None:
    """Run pandoc; None if it went well, else what to tell the setter."""
    with subprocess.Popen(
        command,
        stdin=subprocess.PIPE,
        stdout=out,
        stderr=subprocess.PIPE,
        cwd=folder,
        env={"LANG": "C.UTF-8", "HOME": str(folder)},
        start_new_session=True,
    ) as process:
        # Pandoc waits for its input, so these come in time.
        resource.prlimit(process.pid, resource.RLIMIT_CPU, (_CPU_S, _CPU_S))
        resource.prlimit(process.pid, resource.RLIMIT_FSIZE, (_HTML_BYTES, _HTML_BYTES))
        resource.prlimit(process.pid, resource.RLIMIT_CORE, (0, 0))
        try:
            _, stderr = process.communicate(source.encode(), timeout=_WALL_S)
        except subprocess.TimeoutExpired:
            process.kill()
            return f"could not be turned into a page within {_WALL_S} s"
    if process.returncode == 0:
        return None
    if process.returncode < 0 or b"Heap exhausted" in stderr:
        return "takes too much time or memory to be turned into a page"
    return f"could not be turned into a page: {stderr.decode('utf-8', 'replace').strip()[:300]}"


def _lost(log: list[dict[str, object]]) -> list[str]:
    """What pandoc could not express, without what is only layout."""
    lost: dict[str, None] = {}  # pandoc may look at a line twice
    for entry in log:
        text = " ".join(str(entry.get("pretty", entry.get("type"))).split())
        is_layout = entry.get("type") == "SkippedContent" and _LAYOUT.match(str(entry.get("contents")).strip())
        is_wanted = entry.get("verbosity") == "WARNING" or entry.get("type") in {"SkippedContent", "NotRendering"}
        if is_wanted and not is_layout:
            lost[text[:200]] = None
    return list(lost)


def _lost_pictures(source: str, html: str) -> list[str]:
    pictures = html.count("<img") + len(re.findall(r"^[^%\n]*\\illustration\b", source, re.MULTILINE))
    return [f"pictures are not shown yet: {pictures} left out"] if pictures else []
