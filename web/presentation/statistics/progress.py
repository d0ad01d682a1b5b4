"""One person's progress: what is solved, what is begun, and what may come next. No rank, no streak."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

from judge.grading.verdicts import Verdict
from judge.models import Status, Submission
from problems.models import Difficulty, Problem, ProblemQuerySet
from web import access
from web.access.guard import Person
from web.access.rounding import Rounding
from web.access.visibility import SHOWN_BY

MOST_SUBMISSIONS = 5_000  # of one person, the newest ones
_NEXT = 3
_SHOWN = ("slug", "title", "difficulty", "case_visibility", "owner", *(f"current_version__{name}" for name in SHOWN_BY))


@dataclass(frozen=True, kw_only=True, slots=True)
class SolvedProblem:
    """A solved problem. `first` is the first accepted program, `best_*` are the least of all accepted ones."""

    problem: Problem
    tries: int
    first: Submission
    first_cpu_us: int | None
    best_cpu_us: int | None
    first_write_calls: int | None
    best_write_calls: int | None


@dataclass(frozen=True, kw_only=True, slots=True)
class BegunProblem:
    """A problem that was tried and is not solved: the last verdict."""

    problem: Problem
    tries: int
    last: Submission


@dataclass(frozen=True, kw_only=True, slots=True)
class Share:
    """How many problems of one difficulty are solved, and the bar's width in per cent."""

    name: str
    solved: int
    total: int
    width: float


@dataclass(frozen=True, kw_only=True, slots=True)
class Progress:
    """Everything on the page. `is_all`: no submission was left out as too old."""

    solved: list[SolvedProblem]  # the newest first
    begun: list[BegunProblem]  # likewise
    following: list[Problem]  # not tried, the easiest first
    shares: list[Share]
    total: int
    is_all: bool


def progress_of(user: Person, visible: ProblemQuerySet) -> Progress:
    """Return the progress of a person among the problems that lists show."""
    problems = {problem.pk: problem for problem in visible.only(*_SHOWN)}
    # the newest judged submissions, the newest first; those that Tally failed to judge are no tries
    own = Submission.objects.filter(user=user.pk, status=Status.DONE).exclude(verdict=Verdict.JE).order_by("-pk")
    columns = ("problem_id", "verdict", "created_at", "max_cpu_time_us", "total_write_calls")
    tries = list(own.only(*columns)[:MOST_SUBMISSIONS])
    by_problem: dict[int, list[Submission]] = {}
    for submission in reversed(tries):  # the oldest first
        if submission.problem_id in problems:
            by_problem.setdefault(submission.problem_id, []).append(submission)
    solved, begun = [], []
    for key, those in by_problem.items():
        accepted = [submission for submission in those if submission.verdict == Verdict.AC]
        problem = problems[key]
        if accepted:
            assert problem.current_version is not None, "lists show published problems only"
            rounding = access.sight_of(user, problem).rounding_of_hidden(problem.current_version)
            solved.append(_solved(problem, those, accepted, rounding))
        else:
            begun.append(BegunProblem(problem=problem, tries=len(those), last=those[-1]))
    ranks = {level.value: rank for rank, level in enumerate(Difficulty)}
    untried = [problem for key, problem in problems.items() if key not in by_problem]
    untried.sort(key=lambda problem: (ranks.get(problem.difficulty, len(ranks)), problem.shown_title.lower()))
    return Progress(
        solved=sorted(solved, key=lambda row: row.first.created_at, reverse=True),
        begun=sorted(begun, key=lambda row: row.last.created_at, reverse=True),
        following=untried[:_NEXT],
        shares=_shares(problems.values(), {row.problem.pk for row in solved}),
        total=len(problems),
        is_all=len(tries) < MOST_SUBMISSIONS,
    )


def _solved(
    problem: Problem, tries: Sequence[Submission], accepted: Sequence[Submission], rounding: Rounding
) -> SolvedProblem:
    first, writes = accepted[0], rounding.of_sums().write_calls

    def least(numbers: Iterable[int | None], rule: Callable[[int], int]) -> int | None:
        known = [number for number in numbers if number is not None]
        return rule(min(known)) if known else None

    return SolvedProblem(
        problem=problem,
        tries=len(tries),
        first=first,
        first_cpu_us=least([first.max_cpu_time_us], rounding.cpu_time_us),
        best_cpu_us=least((submission.max_cpu_time_us for submission in accepted), rounding.cpu_time_us),
        first_write_calls=least([first.total_write_calls], writes),
        best_write_calls=least((submission.total_write_calls for submission in accepted), writes),
    )


def _shares(problems: Iterable[Problem], solved: set[int]) -> list[Share]:
    shares = []
    for difficulty in (*Difficulty, ""):
        keys = {problem.pk for problem in problems if problem.difficulty == difficulty}
        if keys:
            number = len(solved & keys)
            name = str(Difficulty(difficulty).label) if difficulty else ""
            shares.append(Share(name=name, solved=number, total=len(keys), width=round(100 * number / len(keys), 2)))
    return shares
