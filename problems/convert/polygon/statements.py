"""Read the statements of a Polygon package: LaTeX sections per language, with pictures and examples.

How it works: of each language the sections are taken from statement-sections/, or from problem-properties.json, or from
problem.tex, and written as one statement under the headings of that language. Polygon's own macros that no LaTeX has
(a font command with braces after it, quotes as <<these>>) are replaced by LaTeX's.
"""

import filecmp
import json
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from itertools import zip_longest
from pathlib import Path, PurePosixPath
from xml.etree.ElementTree import Element

from problems.convert.native import Content, NativeStatement
from problems.convert.source import PICTURES, Source, language_code, suffix_of
from problems.format.files import printable
from problems.translation import Sentence

_MOST_BYTES = 512 * 1024
_SECTIONS = ("legend", "input", "output", "interaction", "scoring", "notes")
_HEADINGS = {
    "en": ("Input", "Output", "Interaction", "Scoring", "Notes"),
    "ru": ("Входные данные", "Выходные данные", "Протокол взаимодействия", "Система оценки", "Примечание"),
    "uk": ("Вхідні дані", "Вихідні дані", "Взаємодія", "Система оцінювання", "Примітка"),
    "zh": ("输入", "输出", "交互", "评分", "提示"),
    "de": ("Eingabe", "Ausgabe", "Interaktion", "Punkte", "Hinweise"),
    "pl": ("Wejście", "Wyjście", "Interakcja", "Punktacja", "Uwagi"),
}
_FONTS = {"bf": "textbf", "it": "textit", "t": "texttt", "tt": "texttt", "sc": "textsc"}
_FONT = re.compile(r"\\(bf|it|tt|t|sc)\{")
_QUOTED = re.compile(r"<<(?=\S)([^<>\n]{1,300}?)(?<=\S)>>")
_TEX_SECTIONS = {
    "InputFile": "input", "OutputFile": "output", "Interaction": "interaction", "Scoring": "scoring", "Note": "notes",
    "Notes": "notes",
}  # fmt: skip
_TEX_HEADING = re.compile(r"\\(InputFile|OutputFile|Interaction|Scoring|Notes?|Examples?)\b")
_TEX_BEGIN = re.compile(r"\\begin\{problem\}(?:\{(?P<title>[^{}]*)\})?(?:\{[^{}]*\}){0,4}")
_PICTURES = (*PICTURES, ".pdf")
_PICTURE = re.compile(r"(\\includegraphics\s*+(?:\[[^\[\]]*+\]\s*+)?\{)([^{}]++)(\})")
_EXAMPLE = re.compile(r"example\.(\d{1,4})")


@dataclass(kw_only=True, slots=True)
class FoundStatements:
    """All statements with their files; `examples` are conversations by number, of the first language with some."""

    title: str = ""
    statements: tuple[NativeStatement, ...] = ()
    pictures: dict[str, Content] = field(default_factory=dict)
    examples: dict[int, Content] = field(default_factory=dict)


def read_statements(root: Element, source: Source) -> FoundStatements:
    """Return the statements of all languages."""
    result = FoundStatements()
    statements: dict[str, NativeStatement] = {}
    listed = [element.get("language", "") for element in root.findall("statements/statement")]
    folders = [
        parts[1]
        for parts in (name.split("/") for name in source.files)
        if len(parts) == 3 and parts[0] in ("statements", "statement-sections") and not parts[1].startswith(".")
    ]
    every = sorted({language for language in (*listed, *folders) if language})
    for language in sorted(every, key=lambda language: (language_code(language) != "en", language)):
        code = language_code(language)
        sections = _sections(language, source)
        if not code or not sections.get("legend"):
            source.report.warn(
                f"statements/{printable(language, 40)}", "", Sentence("is left out: it has no text or language code")
            )
            continue
        result.title = result.title or sections.get("name", "")
        text = _as_latex(sections, language, code, source, result.pictures)
        statements[code] = NativeStatement(source=text, format="latex", language=code)
        result.examples = result.examples or _examples(language, source)
    result.statements = tuple(statements.values())
    return result


def _sections(language: str, source: Source) -> dict[str, str]:
    """Return the sections by name, with "name" for the title; empty without a statement in this language."""
    files = {name: f"statement-sections/{language}/{name}.tex" for name in (*_SECTIONS, "name")}
    sections = {name: source.text(file, _MOST_BYTES).strip() for name, file in files.items() if file in source.files}
    if sections.get("legend"):
        return sections
    properties = f"statements/{language}/problem-properties.json"
    if properties in source.files and (sections := _properties(properties, source)):
        return sections
    if (tex := f"statements/{language}/problem.tex") not in source.files:
        return {}
    text = source.text(tex, _MOST_BYTES)
    begin = _TEX_BEGIN.search(text)
    body = text[begin.end() if begin else 0 :].partition("\\end{problem}")[0]
    legend, *pieces = _TEX_HEADING.split(body)
    sections = {"legend": legend.strip(), "name": ((begin and begin["title"]) or "").strip()}
    for heading, content in zip(pieces[::2], pieces[1::2], strict=True):
        if heading in _TEX_SECTIONS:
            sections[_TEX_SECTIONS[heading]] = content.strip()
    return sections


def _properties(name: str, source: Source) -> dict[str, str]:
    text = source.text(name, _MOST_BYTES)
    try:
        values = json.loads(text)
    except (ValueError, RecursionError):
        source.report.warn(name, "", Sentence("is not valid JSON: it is not used"))
        return {}
    if not isinstance(values, dict):
        return {}
    texts = {key: values.get(key) for key in (*_SECTIONS, "name")}
    return {  # without what JSON can express but UTF-8 files cannot: halves of characters, NUL
        key: value.encode("utf-8", "replace").decode().replace("\0", "").strip()
        for key, value in texts.items()
        if isinstance(value, str) and value.strip()
    }


def _as_latex(
    sections: Mapping[str, str], language: str, code: str, source: Source, pictures: dict[str, Content]
) -> str:
    """Return the statement, with the pictures' names in the package; a namesake of another language gets another."""
    headings = dict(zip(_SECTIONS[1:], _HEADINGS.get(code, _HEADINGS["en"]), strict=True))
    parts = [f"\\problemname{{{sections['name']}}}\n"] if sections.get("name") else []
    for name in _SECTIONS:
        if sections.get(name):
            heading = f"\\section*{{{headings[name]}}}\n\n" if name in headings else ""
            text = _FONT.sub(lambda match: f"\\{_FONTS[match[1]]}{{", sections[name])
            text = _QUOTED.sub(lambda match: f"``{match[1]}''", text)
            parts.append(f"{heading}{text}\n")

    def place(match: re.Match[str]) -> str:
        picture = match[2].strip()
        base = PurePosixPath(picture.replace("\\", "/")).name
        folders = (f"statement-sections/{language}", f"statements/{language}", "files")
        paths = (f"{folder}/{base}{ending}" for folder in folders for ending in ("", *_PICTURES))  # LaTeX may omit it
        path = next((path for path in paths if path in source.files and suffix_of(path) in _PICTURES), None)
        if path is None:
            why = Sentence("shows %(picture)r, which is not in the package", picture=picture[:60])
            source.report.warn(f"statements/{printable(language, 40)}", "", why)
            return match[0]
        name = PurePosixPath(path).name
        content = source.files[path]
        other = pictures.setdefault(name, content)
        if isinstance(other, Path) and other != content and not filecmp.cmp(other, content, shallow=False):
            name = f"{code}-{name}"
            pictures[name] = content
        return f"{match[1]}{name}{match[3]}"

    return _PICTURE.sub(place, "\n".join(parts))


def _examples(language: str, source: Source) -> dict[int, Content]:
    """Return the examples of an interactive problem: both sides line by line, as Polygon aligns them."""
    examples: dict[int, Content] = {}
    for folder in (f"statement-sections/{language}", f"statements/{language}"):
        for name in source.files:
            match = _EXAMPLE.fullmatch(name.removeprefix(f"{folder}/"))
            if match and f"{name}.a" in source.files:
                # at the same height the interactor's line comes first; empty lines only keep the height
                sides = [source.text(side, _MOST_BYTES).splitlines() for side in (name, f"{name}.a")]
                rows = zip_longest(*sides, fillvalue="")
                lines = (
                    f"{mark}{line}\n" for row in rows for mark, line in zip("<>", row, strict=True) if line.strip()
                )
                examples.setdefault(int(match[1]), "".join(lines))
    return examples
