"""Files, folders and modules named in documents, comments and docstrings exist."""

import re
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).parents[2]
ROOMS = ("sandbox", "problems", "judge", "web", "bench", "tests", "setup", "docs")
CODE = ("sandbox", "problems", "judge", "web", "bench")
_SPAN = re.compile(r"`([^`\n]+)`")
_PATH = re.compile(r"[\w.*-]+(?:/[\w.*-]*)+|[\w*-]+(?:\.bpf)?\.(?:py|c|sh|html|css|js)")
_HEADING = re.compile(rf"#+ ({'|'.join(ROOMS)}): ")
_MODULE = re.compile(rf"(?:{'|'.join(CODE)})(?:\.(?!py$)\w+)+")
_STRANGERS = {"library", "cases", "programs", "migrations"}
_WRITTEN = "bench/reports/"  # by the benchmarks
_LINK = re.compile(r"\]\(([^)#\s:]+)(?:#[^)]*)?\)")


def _files(*patterns: str) -> list[Path]:
    """The files below these patterns; not those of strangers, which are data."""
    found = [each for pattern in patterns for each in ROOT.glob(pattern) if each.is_file()]
    return [each for each in found if not _STRANGERS & set(each.relative_to(ROOT).parts)]


def _is_there(path: str, folders: list[Path]) -> bool:
    """Whether there is such a file or folder below one of the folders; a module may be without its ending."""
    asked = path.strip("/")
    module, _, _ = asked.rpartition("/")[2].partition(".")
    as_module = asked[: len(asked) - len(asked.rpartition("/")[2])] + module + ".py"
    return any(any(folder.glob(each)) for folder in folders for each in {asked, asked + ".py", as_module})


def _missing(text: str, home: Path) -> Iterator[str]:
    """Paths between backticks that lead nowhere: from the root, from the room of the section ("## judge: ..."), or from
    the folders of those before it in the line.
    """
    room: list[Path] = []
    for line in text.splitlines():
        if line.startswith("#"):
            heading = _HEADING.match(line)
            room = [ROOT / heading[1]] if heading else []
        folders = list(room)
        for span in filter(_PATH.fullmatch, _SPAN.findall(line)):
            is_whole = span.partition("/")[0] in ROOMS
            if span.startswith(_WRITTEN) or not (is_whole or folders):
                continue
            if not _is_there(span, [ROOT, *folders, home]):
                yield span
            for place in {folder / span for folder in (ROOT, *folders) if (folder / span).exists()}:
                folders += [place, *(above for above in place.parents if ROOT in above.parents)]


def _is_named(name: str) -> bool:
    """Whether there is such a module, or in one what is named after it."""
    parts = name.split(".")
    for length in range(len(parts), 0, -1):
        path, rest = ROOT.joinpath(*parts[:length]), parts[length:]
        module = path / "__init__.py" if path.is_dir() else path.with_suffix(".py")
        if path.is_dir() and not rest:
            return True
        if module.is_file():
            return not rest or re.search(rf"\b{rest[0]}\b", module.read_text()) is not None
    return False


def test_every_path_in_the_documents_exists() -> None:
    documents = _files("docs/*.md", "sandbox/*.md", "README.md", "tests/*/README.md", "bench/README.md")
    missing = {(each.name, path) for each in documents for path in _missing(each.read_text(), each.parent)}
    assert len(documents) > 5
    assert not missing


def test_every_link_of_the_documents_leads_to_a_file() -> None:
    documents = _files("*.md", "docs/*.md", "sandbox/*.md", "tests/**/*.md", "bench/*.md")
    links = [(each, link) for each in documents for link in _LINK.findall(each.read_text())]
    assert len(links) > 5
    assert not [f"{each.relative_to(ROOT)}: {link}" for each, link in links if not (each.parent / link).exists()]


def test_every_module_that_is_named_exists() -> None:
    sources = _files("*.py", *(f"{room}/**/*.py" for room in (*CODE, "tests")), "docs/*.md", "README.md", "setup/*")
    named = {(each, span) for each in sources for span in _SPAN.findall(each.read_text()) if _MODULE.fullmatch(span)}
    assert len(named) > 100
    assert not sorted(f"{each.relative_to(ROOT)}: {name}" for each, name in named if not _is_named(name))


def test_what_leads_nowhere_is_found() -> None:
    told = """Somewhere `nowhere.py` is told of, but it may be anywhere.
`judge/turns.py`, `checkers/` and `judge/grading/explain/`, `nowhere.py`, `summary.py`; `judge/workers/worker.py`
## judge: from a program to its verdict
`grading/events.py`, `explain/words.py`, `grading/explain/summary.py`, `grading/reruns/`: `buffered.py`, `native/init.c`
"""
    assert list(_missing(told, ROOT)) == ["judge/turns.py", "nowhere.py", "explain/words.py", "native/init.c"]
    assert _is_named("judge.grading.reading.places.lines_of")
    assert not _is_named("judge.grading.explain.phrasing")
    assert not _is_named("judge.grading.words.limit_seconds")
