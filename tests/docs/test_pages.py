"""README.md and the documents are true: the version, links to headings, commands, and an entry for every package.

That each path and link leads to a file is tested in tests/docs/test_paths.py.
"""

import re
import tomllib
from pathlib import Path

import pytest
from django.core.management import get_commands

ROOT = Path(__file__).parents[2]
PATTERNS = (
    "*.md",
    "docs/*.md",
    "sandbox/*.md",
    "bench/*.md",
    "bench/reports/*.md",
    "tests/*/README.md",
    "problems/library/README.md",
)
PAGES = sorted(str(page.relative_to(ROOT)) for pattern in PATTERNS for page in ROOT.glob(pattern))
OF_TODAY = [page for page in PAGES if page != "CHANGELOG.md"]
ROOMS = ("sandbox", "problems", "judge", "web")
_CODE = re.compile(r"```.*?```|`[^`\n]+`", re.DOTALL)


def text_of(page: str) -> str:
    return (ROOT / page).read_text("utf-8")


def commands(page: str, pattern: str) -> list[re.Match[str]]:
    """The commands of this kind in its code: in blocks and within sentences."""
    lines = [line for code in _CODE.findall(text_of(page)) for line in code.strip("`").splitlines()]
    return [found for line in lines for found in re.finditer(pattern, line.strip())]


def anchors_of(page: Path) -> set[str]:
    """Its headings as links name them."""
    headings = re.findall(r"^#+ (.*)$", page.read_text("utf-8"), re.MULTILINE)
    return {re.sub(r"[^\w -]", "", heading.lower()).replace(" ", "-") for heading in headings}


def test_there_is_one_version() -> None:
    of_project = tomllib.loads(text_of("pyproject.toml"))["project"]["version"]
    noted = re.findall(r"^## (.*)$", text_of("CHANGELOG.md"), re.MULTILINE)
    assert noted[0] == of_project
    assert noted == sorted(noted, key=lambda version: [int(part) for part in version.split(".")], reverse=True)


@pytest.mark.parametrize("page", PAGES)
def test_every_heading_that_is_linked_to_is_there(page: str) -> None:
    for name, heading in re.findall(r"\]\(([^)#\s:]*)#([^)\s]+)\)", text_of(page)):
        target = (ROOT / page).parent / name if name else ROOT / page
        assert heading in anchors_of(target), f"{name}#{heading}"


@pytest.mark.parametrize("page", PAGES)
def test_every_target_of_make_is_there(page: str) -> None:
    targets = re.findall(r"^([a-z0-9-]+):", text_of("Makefile"), re.MULTILINE)
    assert {found[1] for found in commands(page, r"\bmake ([a-z][\w-]*)")} <= set(targets)


@pytest.mark.parametrize("page", PAGES)
def test_every_command_of_django_is_there(page: str) -> None:
    assert {found[1] for found in commands(page, r"manage\.py (\w+)")} <= set(get_commands())


@pytest.mark.parametrize("page", OF_TODAY)
def test_every_program_is_started_by_a_python_that_has_it(page: str) -> None:
    for found in commands(page, r"(\S*)python3? (?:-m (?!venv)([\w.]+)|manage\.py)"):
        in_container = found.string.startswith(("docker compose ", "docker run "))
        assert in_container or found[1] == ".venv/bin/", found.string
        module = ROOT.joinpath(*(found[2] or "manage").split("."))
        is_ours = module.with_suffix(".py").exists() or (module / "__main__.py").exists()
        assert is_ours or found[2] in ("pytest", "bench.NAME"), found.string


def test_there_are_commands_to_look_at() -> None:
    assert len(commands("README.md", r"\bmake [a-z]")) >= 4
    assert len(commands("README.md", r"\.venv/bin/python (?:-m|manage\.py) ")) >= 5


@pytest.mark.parametrize("room", ROOMS)
def test_the_architecture_has_a_word_on_every_package(room: str) -> None:
    told = text_of("docs/architecture.md").partition(f"\n## {room}: ")[2].partition("\n## ")[0]
    named = {folder.rstrip("/") for folder in re.findall(r"`([\w/]+/)`", told)}
    packages = {each.parent.relative_to(ROOT / room) for each in (ROOT / room).glob("*/**/__init__.py")}
    assert {str(each) for each in packages if not {"migrations", "commands"} & set(each.parts)} <= named
    assert len(re.findall(r"^\| `", told, re.MULTILINE)) > 6
