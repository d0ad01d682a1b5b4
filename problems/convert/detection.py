"""Which format a folder or an archive is in, by the names in it alone, and where in it the problem begins."""

from collections.abc import Collection

from problems.convert.pairs import has_inputs
from problems.files import printable
from problems.package import PackageError

NATIVE, POLYGON, DMOJ, PLAIN = "icpc", "polygon", "dmoj", "plain"
_MARKERS = {"problem.yaml": NATIVE, "problem.xml": POLYGON, "init.yml": DMOJ}  # in this order
_NATIVE_FOLDERS = frozenset(
    {"problem_statement", "output_validators", "output_validator", "input_validators", "submissions"}
)
_NATIVE_FILES = frozenset({"testdata.yaml", "test_group.yaml"})
TAKEN = (
    "is no problem that Tally can read: it takes a problem package of ICPC or Kattis (problem.yaml), a full package of "
    "Polygon (problem.xml), an archive of DMOJ (init.yml), or pairs of tests such as 1.in and 1.out"
)

Parts = tuple[str, ...]


def find_origin(names: Collection[Parts], archive: str) -> tuple[str, Parts]:
    """Return the format and the folders above the problem, which hold all there is.

    `names` are of all files, hidden ones left out. Raises PackageError, blaming `archive`, when there is no problem.
    """
    if not names:
        raise PackageError(archive, "", "holds no files")
    common = common_folders(names)
    for marker, origin in _MARKERS.items():
        found = sorted(parts[:-1] for parts in names if parts[-1] == marker)
        for length in range(len(common) + 1):
            if common[:length] in found:
                return origin, common[:length]
        if found:
            where = ", ".join(printable("/".join(parts), 40) for parts in found[:3])
            why = f"has no {marker} at its top, but in {where}: pack that folder alone"
            raise PackageError(archive, "", why)
    if _is_native(names):
        raise PackageError("problem.yaml", "", "is missing: it must lie at the top of the package")
    if has_inputs("/".join(parts) for parts in names):
        return PLAIN, common
    raise PackageError(archive, "", TAKEN)


def common_folders(names: Collection[Parts]) -> Parts:
    """The folders that all files have in common."""
    common: Parts = ()
    for level in zip(*(parts[:-1] for parts in names), strict=False):
        if len(set(level)) > 1:
            break
        common = (*common, level[0])
    return common


def _is_native(names: Collection[Parts]) -> bool:
    """Whether this looks like a package that lost its problem.yaml: as plain tests it would lose its checker too."""
    return any(parts[-1] in _NATIVE_FILES or _NATIVE_FOLDERS.intersection(parts[:-1]) for parts in names)
