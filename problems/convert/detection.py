"""Detect the format of a folder or an archive, and where in it the problem begins, from file names alone."""

from collections.abc import Collection

from problems.convert.pairs import has_inputs
from problems.format.files import printable
from problems.format.problemyaml import misspelt, why_missing
from problems.package import PackageError
from problems.translation import Sentence, listed

NATIVE, POLYGON, DMOJ, CMS, PLAIN = "icpc", "polygon", "dmoj", "cms", "plain"
_TASK, _CONTEST = "task.yaml", "contest.yaml"
_MARKERS = {"problem.yaml": NATIVE, "problem.xml": POLYGON, "init.yml": DMOJ, _TASK: CMS}  # in this order
_UNREAD = {
    "problem.json": Sentence("is of the format TPS, which Tally does not read: make an ICPC/Kattis package of the task")
}
_MOST_TASKS = 30  # that a message names
_NATIVE_FOLDERS = frozenset(
    {"problem_statement", "output_validators", "output_validator", "input_validators", "submissions"}
)
_NATIVE_FILES = frozenset({"testdata.yaml", "test_group.yaml", "domjudge-problem.ini", ".timelimit"})
TAKEN = Sentence(
    "is no problem that Tally can read: it takes a problem package of ICPC or Kattis (problem.yaml), a full package of "
    "Polygon (problem.xml), an archive of DMOJ (init.yml), a task of CMS (task.yaml), or pairs of tests such as 1.in "
    "and 1.out"
)

Parts = tuple[str, ...]


def find_origin(names: Collection[Parts], archive: str) -> tuple[str, Parts]:
    """Return the format and the folders above the problem, which contain all files.

    `names` are of all files, hidden ones left out. Raises PackageError, blaming `archive`, when there is no problem.
    """
    if not names:
        raise PackageError(archive, "", Sentence("holds no files"))
    common = common_folders(names)
    for marker, origin in _MARKERS.items():
        if marker == _TASK:
            _refuse_contest(names, common)
        found = sorted(parts[:-1] for parts in names if parts[-1] == marker)
        for length in range(len(common) + 1):
            if common[:length] in found:
                return origin, common[:length]
        if found:
            where = ", ".join(printable("/".join(parts), 40) for parts in found[:3])
            why = Sentence(
                "has no %(marker)s at its top, but in %(where)s: pack that folder alone", marker=marker, where=where
            )
            raise PackageError(archive, "", why)
    at_top = [parts[-1] for parts in names if parts[:-1] == common[: len(parts) - 1]]
    if _is_native(names) or misspelt(at_top):
        raise PackageError("problem.yaml", "", why_missing(at_top))
    for parts in sorted(names):
        if parts[-1] in _UNREAD:
            raise PackageError(printable("/".join(parts)), "", _UNREAD[parts[-1]])
    if has_inputs("/".join(parts) for parts in names):
        return PLAIN, common
    raise PackageError(archive, "", TAKEN)


def common_folders(names: Collection[Parts]) -> Parts:
    """Return the folders common to all files."""
    common: Parts = ()
    for level in zip(*(parts[:-1] for parts in names), strict=False):
        if len(set(level)) > 1:
            break
        common = (*common, level[0])
    return common


def _refuse_contest(names: Collection[Parts], common: Parts) -> None:
    """Raise PackageError for a CMS contest, whose tasks would otherwise become one problem with all their tests."""
    for length in range(len(common) + 1):
        top = common[:length]
        if (*top, _CONTEST) not in names or (*top, _TASK) in names:
            continue
        inside = {parts[length:] for parts in names}
        folders = sorted({parts[0] for parts in inside if len(parts) > 1})
        with_tests = {parts[0] for parts in inside if parts[1:2] == ("input",)}
        tasks = [name for name in folders if name in with_tests or {(name, _TASK), (f"{name}.yaml",)} & inside]
        why = Sentence(
            "is a contest of CMS, and an upload makes one problem: pack the folder of each task with its task.yaml by "
            "itself (found %(number)s: %(tasks)s)",
            number=len(tasks),
            tasks=listed([printable(name, 40) for name in tasks], _MOST_TASKS) or Sentence("none"),
        )
        raise PackageError("/".join((*top, _CONTEST)), "", why)


def _is_native(names: Collection[Parts]) -> bool:
    """Return whether this looks like a package without problem.yaml; as plain tests it would lose its checker too."""
    return any(parts[-1] in _NATIVE_FILES or _NATIVE_FOLDERS.intersection(parts[:-1]) for parts in names)
