r"""Render one statement, Markdown or LaTeX, as safe HTML with MathML.

How it works: the format's own marks and commands become words of pandoc's (`latex`) or marks of ours, pandoc makes HTML
of it, and only what `sanitising` allows gets through. Where the statement wants a sample there is then a comment,
`<!--samples 0 1-->` with positions in the page's list of samples; no comment of the statement itself survives.
"""

import html
import re
from collections.abc import Mapping
from dataclasses import dataclass, field

from problems.format.yamlfile import read_text
from problems.package import PackageError, Statement
from problems.statement import latex
from problems.statement.faults import formula_line
from problems.statement.pandoc import LogEntry, to_html
from problems.statement.pictures import Beside, Pictures, with_sizes
from problems.statement.sanitising import sanitise
from problems.statement.statement_files import DRAWINGS, MOST_BYTES, PICTURE_TYPES
from problems.translation import Sentence, quoted

SAMPLES_HERE = re.compile(r"<!--samples ([0-9 ]+)-->")
_MOST_WARNINGS = 20
_MOST_SHOWN = 60
_MOST_WITH_CONSTANTS = 4 * MOST_BYTES  # a constant may be 200 times as long as what it stands for
_MARKDOWN = "commonmark+tex_math_dollars+pipe_tables+footnotes+strikeout+gfm_auto_identifiers+implicit_figures"
_ATTRIBUTES = re.compile(  # ![](a.png){width=50%} or ## Hints {#what-to-look-at}
    r"\]\([^()\n]{1,300}\)\{[^{}\n]{0,100}?(?:width|height)\s*=|^#{1,6} [^\n]{1,300}\{#[\w-]{1,100}\}[ \t]*$",
    re.MULTILINE,
)
_CONSTANT = re.compile(r"\{\{([A-Za-z_]\w*(?:\.\w+)?)\}\}", re.ASCII)
_SAMPLE_WORDS = {"nextsample": "next", "remainingsamples": "rest"}
_OWN_LINE = re.compile(r"^([ \t]*)\{\{[ \t]*(nextsample|remainingsamples)[ \t]*\}\}[ \t]*$", re.MULTILINE)
_MARK = re.compile(r"TallySampleHere(?:(next|rest)|named([0-9]{1,4}))\.")
_CODE = re.compile(r"<code>[^<]*</code>")
_MARK_IN_CODE = re.compile(rf"(\\par )?{_MARK.pattern}( \\par\{{\}})?")
_SUFFIXES = "|".join(suffix[1:] for suffix in (*PICTURE_TYPES, *DRAWINGS))
_PICTURE = re.compile(  # ![](tree 1.png)
    r"(!\[[^\[\]\n]{0,300}\]\()[ \t]*"
    rf"((?:[^()<>\"'\n]|\([^()<>\"'\n]{{0,50}}\)){{1,200}}?\.(?:{_SUFFIXES}))(?=[ \t]*[)\"'])",
    re.IGNORECASE,
)
_FENCE = re.compile(r"[ \t]*(?:```|~~~)")
_UNRESOLVED = re.compile(r'data-reference="([^"]+)">\[')  # how pandoc shows a reference to nothing
_LAYOUT = re.compile(  # what pandoc leaves out without loss
    r"\\(?:[be]group|[vh]space|[vh]skip|[vh]fill|noindent|centering|(?:small|med|big)skip|(?:new|clear|page|line)\w*"
    r"|!|setlength|addtolength|hline|label|tiny|(?:script|footnote|normal)\w*|small|[Ll]arge|LARGE|[Hh]uge|par"
    r"|raggedright|(?:text|line|column)width|tightlist|sloppy|FloatBarrier|allowbreak|looseness"
    r"|(?:begin|end)\{(?:center|small|large|Sample|minipage|multicols|samepage)\})"
)


@dataclass(frozen=True, kw_only=True, slots=True)
class Surroundings:
    """The parts of the package that a statement may refer to."""

    beside: Beside = field(default_factory=Beside)
    samples: tuple[str, ...] = ()  # names of the samples that the page shows, in order: "1", "2"
    constants: Mapping[str, str] = field(default_factory=dict)  # "MAX", "MAX.LATEX" -> what stands for it


@dataclass(frozen=True, kw_only=True, slots=True)
class RenderedStatement:
    """Safe HTML of a statement, headings from h2 down, ids beginning with "statement-"; and what was lost.

    The src of a picture is "files/" and its name in the package, in the form of an address.
    """

    language: str
    html: str
    warnings: tuple[Sentence, ...]
    # to be drawn before all pictures can be shown: names of PDFs beside it, and LaTeX documents by name
    pending: tuple[str, ...] = ()
    pending_tikz: Mapping[str, str] = field(default_factory=dict)


def render_statement(statement: Statement, around: Surroundings | None = None) -> RenderedStatement:
    """Return the statement as safe HTML. Raises PackageError when pandoc cannot convert it within its limits."""
    name = statement.path.name
    return render_source(
        read_text(statement.path, name, MOST_BYTES),
        form=statement.format,
        language=statement.language,
        name=name,
        around=around,
    )


def render_source(
    source: str, *, form: str, language: str, name: str, around: Surroundings | None = None
) -> RenderedStatement:
    """Return a statement given as text; `form` is "markdown" or "latex", `name` the file to blame.

    Raises PackageError as `render_statement` does.
    """
    work = _Work(around or Surroundings())
    page, log = work.latex(source, language, name) if form == "latex" else work.markdown(source, name)
    pictures = Pictures(work.around.beside, work.tikz)
    page = pictures.with_words(sanitise(with_sizes(page), pictures.place))
    page = work.with_samples(page)
    lost = (*pictures.warnings, *_lost(log, source), *work.warnings)
    warnings = tuple(PackageError(name, "", why).sentence for why in lost[:_MOST_WARNINGS])
    return RenderedStatement(
        language=language,
        html=page,
        warnings=warnings,
        pending=tuple(name for name in pictures.pending if name not in work.tikz),
        pending_tikz={name: work.tikz[name] for name in pictures.pending if name in work.tikz},
    )


class _Work:
    """One statement during rendering, with the errors so far."""

    def __init__(self, around: Surroundings) -> None:
        self.around = around
        self.warnings: list[Sentence] = []
        self.tikz: dict[str, str] = {}  # LaTeX documents of TikZ pictures, by the names that stand for them
        self._left = list(range(len(around.samples)))  # the samples that have no place yet

    def latex(self, source: str, language: str, name: str) -> tuple[str, list[LogEntry]]:
        source = self._with_constants(source, name, is_strict=False)
        source, self.tikz = latex.with_tikz_taken_out(source)
        page, log = to_html(latex.prepare(source, language, self._constant, self._mark), "latex", name, shift=1)
        for label in _UNRESOLVED.findall(page):
            self._warn(Sentence("refers to %(label)r, which no label is called", label=html.unescape(label)[:60]))
        return page, log

    def markdown(self, source: str, name: str) -> tuple[str, list[LogEntry]]:
        """Return pandoc's HTML of Markdown; the page's own title is the only h1."""
        source = _with_spaces_in_names(source)
        source = _OWN_LINE.sub(lambda match: f"\n{match[1]}{_mark(_SAMPLE_WORDS[match[2]])}\n", source)
        source = self._with_constants(source, name, is_strict=True)
        reader = f"{_MARKDOWN}+attributes" if _ATTRIBUTES.search(source) else _MARKDOWN
        page, log = to_html(source, reader, name)
        return to_html(source, reader, name, shift=1) if "<h1" in page else (page, log)

    def with_samples(self, page: str) -> str:
        """Return the sanitised page with comments for samples; code that shows the commands is left unchanged."""
        page = _CODE.sub(lambda code: self._with_commands(code[0]), page)
        page = re.sub(rf"<p>\s*({_MARK.pattern})\s*</p>", r"\1", page)
        return _MARK.sub(self._place, page)

    def _with_constants(self, source: str, name: str, *, is_strict: bool) -> str:
        def value(match: re.Match[str]) -> str:
            if match[1] in _SAMPLE_WORDS:
                return _mark(_SAMPLE_WORDS[match[1]]) if is_strict else match[0]
            if match[1] not in self.around.constants and not is_strict:
                return match[0]  # braces are LaTeX's own
            text = self._constant(match[1])
            return match[0] if text is None else text

        source = _CONSTANT.sub(value, source)
        if len(source) > _MOST_WITH_CONSTANTS:
            raise PackageError(name, "", Sentence("is too long with its constants in place"))
        return source

    def _constant(self, name: str) -> str | None:
        if name not in self.around.constants and self.around.constants:
            self._warn(Sentence("%(name)s is no constant of problem.yaml", name=name[:60]))
        return self.around.constants.get(name)

    def _mark(self, kind: str, name: str) -> str:
        if kind != "named":
            return _mark(kind)
        if name not in self.around.samples:
            self._warn(Sentence("there is no sample %(name)r to be shown", name=name[:60]))
            return ""
        return _mark(f"named{self.around.samples.index(name)}")

    def _place(self, match: re.Match[str]) -> str:
        """Return the comment for one mark; positions are of `around.samples`."""
        here = self._named(match[2]) if match[2] else self._left[:1] if match[1] == "next" else self._left
        if not here and match[1] == "next":
            self._warn(Sentence("asks for one more sample than there are"))
        self._left = [position for position in self._left if position not in here]
        return f"<!--samples {' '.join(map(str, here))}-->" if here else ""

    def _named(self, position: str) -> list[int]:
        return [int(position)] if int(position) < len(self.around.samples) else []

    def _with_commands(self, code: str) -> str:
        """Return the code with each mark as its command again, without the space around it."""
        pieces, end = [], 0
        for match in _MARK_IN_CODE.finditer(code):
            before = code[end : match.start()]
            command = "nextsample" if match[2] == "next" else "remainingsamples"
            commands = [rf"\{command}" if match[1] else f"{{{{{command}}}}}"]
            if match[3]:
                names = (self.around.samples[position] for position in self._named(match[3]))
                commands = [rf"\includesample{{{html.escape(name)}}}" for name in names]
            pieces += [(before.lstrip() if end else before).rstrip(), *commands]
            end = match.end()
        return "".join((*pieces, code[end:].lstrip())) if end else code

    def _warn(self, why: Sentence) -> None:
        if why not in self.warnings:
            self.warnings.append(why)


def _with_spaces_in_names(source: str) -> str:
    """Return Markdown with the names of pictures that hold spaces in angle brackets, outside of code."""
    if "![" not in source:
        return source
    lines, is_code = source.split("\n"), False
    for number, line in enumerate(lines):
        if _FENCE.match(line):
            is_code = not is_code
        elif not is_code and "![" in line:
            lines[number] = _PICTURE.sub(_in_brackets, line)
    return "\n".join(lines)


def _in_brackets(match: re.Match[str]) -> str:
    is_in_code = match.string.count("`", 0, match.start()) % 2
    return match[0] if " " not in match[2] or is_in_code else f"{match[1]}<{match[2]}>"


def _mark(what: str) -> str:
    """Return a word that passes pandoc and sanitising unharmed."""
    return f"TallySampleHere{what}."


def _lost(log: list[LogEntry], source: str) -> list[Sentence]:
    lost: dict[Sentence, None] = {}  # pandoc may look at a line twice
    for entry in log:
        if len(lost) == _MOST_WARNINGS:
            break
        is_layout = entry.kind == "SkippedContent" and _LAYOUT.match(entry.contents)
        if entry.kind == "CouldNotConvertTeXMath" and entry.reason:
            line, tex = formula_line(entry.contents, source), " ".join(entry.contents.split())[:_MOST_SHOWN]
            values = {"tex": tex, "reason": entry.reason[:_MOST_SHOWN]}
            why = Sentence("the formula %(tex)s cannot be converted (%(reason)s): the page shows its source", **values)
            if line:
                why = Sentence(
                    "the formula %(tex)s in line %(line)s cannot be converted (%(reason)s): the page shows its source",
                    line=line,
                    **values,
                )
            lost[why] = None
        elif (entry.is_warning or entry.kind in {"SkippedContent", "NotRendering"}) and not is_layout:
            lost[quoted(entry.text[:200])] = None
    return [*lost]
