"""Detect the format of a folder or an archive, and where in it the problem begins, from file names alone.

An archive without a problem of its own may hold several, as that of a contest does: the outermost folders with a file
that identifies a format, the folders beside these, and zips outside of them.
"""

from collections.abc import Collection, Iterator, Set
from posixpath import commonprefix

from problems.convert.pairs import pair_up
from problems.format.files import printable
from problems.format.problemyaml import misspelt, why_missing
from problems.package import PackageError
from problems.translation import Sentence, listed

NATIVE, POLYGON, DMOJ, CMS, PLAIN = "icpc", "polygon", "dmoj", "cms", "plain"
_TASK, _CONTEST = "task.yaml", "contest.yaml"
_MARKERS = {"problem.yaml": NATIVE, "problem.xml": POLYGON, "init.yml": DMOJ, _TASK: CMS}  # in this order
_TPS = "problem.json"
_MOST_TASKS = 30  # that a message names
_MOST_PLACES = 3
_ZIPS = (".zip", ".kpp")
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


class PackageSet(PackageError):
    """The archive is no problem but holds some, `folders` and `zips`; `others` are the files beside them."""

    def __init__(self, archive: str, why: Sentence, names: Collection[Parts], problems: Collection[Parts]) -> None:
        super().__init__(archive, "", why)
        outside = _outside(names, {*problems})
        places = [*problems, *filter(_is_zip, outside)]
        parents, above = {place[:-1] for place in places}, {up for place in places for up in _folders_of(place)}
        beside = {folder for parts in outside for folder in _folders_of(parts) if folder[:-1] in parents} - above
        self.folders = sorted({*problems, *_outermost(beside)})
        outside = _outside(outside, beside)
        self.zips = sorted(filter(_is_zip, outside))
        self.others = sorted(parts for parts in outside if not _is_zip(parts))


def find_origin(names: Collection[Parts], archive: str) -> tuple[str, Parts]:
    """Return the format and the folders above the problem, which contain all files.

    `names` are of all files, hidden ones left out. Raises PackageError, blaming `archive`, when there is no problem,
    and PackageSet when there are some.
    """
    if not names:
        raise PackageError(archive, "", Sentence("holds no files"))
    common: Parts = tuple(commonprefix([parts[:-1] for parts in names]))
    for marker, origin in _MARKERS.items():
        if marker == _TASK:
            _refuse_contest(names, common)
        places = sorted(parts[:-1] for parts in names if parts[-1] == marker)
        for length in range(len(common) + 1):
            if common[:length] in places:
                return origin, common[:length]
        if places:
            where = _where(places)
            why = Sentence(
                "has no %(marker)s at its top, but in %(where)s: pack that folder alone", marker=marker, where=where
            )
            problems = _outermost({parts[:-1] for parts in names if parts[-1] in _MARKERS})
            if any(common[: len(folder)] == folder for folder in problems):  # another format's file lies there
                raise PackageError(archive, "", why)
            raise PackageSet(archive, why, names, problems)
    at_top = [parts[-1] for parts in names if parts[:-1] == common[: len(parts) - 1]]
    is_native = any(parts[-1] in _NATIVE_FILES or _NATIVE_FOLDERS.intersection(parts[:-1]) for parts in names)
    if is_native or misspelt(at_top):  # as plain tests it would lose its checker
        raise PackageError("problem.yaml", "", why_missing(at_top))
    if unread := min((parts for parts in names if parts[-1] == _TPS), default=()):
        why = Sentence("is of the format TPS, which Tally does not read: make an ICPC/Kattis package of the task")
        raise PackageError(printable("/".join(unread)), "", why)
    pairing = pair_up("/".join(parts) for parts in names)
    if pairing.pairs or pairing.lonely:
        return PLAIN, common
    if zips := sorted(filter(_is_zip, names)):
        why = Sentence("is no problem but holds %(where)s: take that file alone", where=_where(zips))
        raise PackageSet(archive, why, names, ())
    raise PackageError(archive, "", TAKEN)


def _refuse_contest(names: Collection[Parts], common: Parts) -> None:
    """Raise PackageError for a CMS contest that cannot be taken apart: its tasks would become one problem with all
    their tests.
    """
    for length in range(len(common) + 1):
        top = common[:length]
        if (*top, _CONTEST) not in names or (*top, _TASK) in names:
            continue
        inside = {parts[length:] for parts in names}
        folders = sorted({parts[0] for parts in inside if len(parts) > 1})
        with_tests = {parts[0] for parts in inside if parts[1:2] == ("input",)}
        tasks = [name for name in folders if name in with_tests or {(name, _TASK), (f"{name}.yaml",)} & inside]
        if tasks and all((name, _TASK) in inside for name in tasks):
            return  # a set of tasks, each in a folder of its own
        why = Sentence(
            "is a contest of CMS, and an upload makes one problem: pack the folder of each task with its task.yaml by "
            "itself (found %(number)s: %(tasks)s)",
            number=len(tasks),
            tasks=listed([printable(name, 40) for name in tasks], _MOST_TASKS) or Sentence("none"),
        )
        raise PackageError("/".join((*top, _CONTEST)), "", why)


def _outermost(folders: Set[Parts]) -> list[Parts]:
    return sorted(folder for folder in folders if folders.isdisjoint(_folders_of(folder)))


def _outside(names: Collection[Parts], folders: Set[Parts]) -> list[Parts]:
    return [parts for parts in names if folders.isdisjoint(_folders_of(parts))]


def _folders_of(parts: Parts) -> Iterator[Parts]:
    """Yield the folders around a file or folder, the outermost first; not the archive itself."""
    return (parts[:length] for length in range(1, len(parts)))


def _is_zip(parts: Parts) -> bool:
    return parts[-1].lower().endswith(_ZIPS)


def _where(places: Collection[Parts]) -> str:
    return ", ".join(printable("/".join(parts), 40) for parts in list(places)[:_MOST_PLACES])
