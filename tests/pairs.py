"""Find folders that import each other: of two such folders neither can be read, or changed, without the other.

`python -m tests.pairs` checks the folders of the four rooms for `make lint`. PAIRS lists the pairs that are still
there: it may only shrink, so a pair that is not listed fails, and so does a listed one that is gone.
"""

import ast
import sys
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).parent.parent
ROOMS = ("sandbox", "problems", "judge", "web")
PAIRS = frozenset({("sandbox", "sandbox/entry")})


def modules(root: Path) -> dict[str, Path]:
    """Return the rooms' modules by dotted name, without migrations and the problems that ship with Tally."""
    paths = [path for room in ROOMS for path in root.joinpath(room).rglob("*.py")]
    relative = [path.relative_to(root) for path in paths if not {"migrations", "library"} & {*path.parts}]
    return {".".join(path.with_suffix("").parts).removesuffix(".__init__"): path for path in relative}


def imports(tree: ast.AST, paths: dict[str, Path]) -> Iterator[str]:
    """Yield those of these modules that a module imports."""
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom) and node.module:
            wholes = [f"{node.module}.{alias.name}" for alias in node.names]
            yield from (name if name in paths else node.module for name in wholes)
        elif isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)


def pairs(root: Path) -> set[tuple[str, str]]:
    """Return the folders that import each other, each pair in the order of its names."""
    paths = modules(root)
    arrows = set()
    for path in paths.values():
        names = {name for name in imports(ast.parse((root / path).read_text("utf-8")), paths) if name in paths}
        arrows |= {(str(path.parent), str(paths[name].parent)) for name in names}
    return {(one, other) for one, other in arrows if one < other and (other, one) in arrows}


def main() -> int:
    """Print the pairs that are not listed, and those that are listed and gone."""
    new, gone = pairs(ROOT) - PAIRS, PAIRS - pairs(ROOT)
    for one, other in sorted(new):
        print(f"lint: {one} and {other} import each other: move what one of them needs down, or up what needs it")
    for one, other in sorted(gone):
        print(f"lint: {one} and {other} import each other no more, remove them from tests/pairs.py")
    return 1 if new or gone else 0


if __name__ == "__main__":
    sys.exit(main())
