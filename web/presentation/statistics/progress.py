"""One person's progress: what is solved, what is begun, and what may come next. No rank, no streak."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime

from judge.grading.measures import BY_NAME
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
class _Try:
    """One judged submission."""

    problem: int
    verdict: str
    at: datetime
    submission: int
    cpu_us: int | None
    write_calls: int | None


@dataclass(frozen=True, kw_only=True, slots=True)
class SolvedProblem:
    """A solved problem. `first_*` are of the first accepted program, `best_*` the least of all accepted ones."""

    problem: Problem
    tries: int
    solved_at: datetime
    submission: int
    first_cpu_us: int | None
    best_cpu_us: int | None
    first_write_calls: int | None
    best_write_calls: int | None


@dataclass(frozen=True, kw_only=True, slots=True)
class BegunProblem:
    """A problem that was tried and is not solved: the last verdict."""

    problem: Problem
    tries: int
    verdict: str
    submission: int
    at: datetime


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
    tries = _tries(user)
    by_problem: dict[int, list[_Try]] = {}
    for submission in reversed(tries):  # the oldest first
        if submission.problem in problems:
            by_problem.setdefault(submission.problem, []).append(submission)
    solved, begun = [], []
    for key, those in by_problem.items():
        accepted = [submission for submission in those if submission.verdict == Verdict.AC]
        problem = problems[key]
        if accepted:
            solved.append(_solved(problem, those, accepted, _rounding(user, problem)))
        else:
            begun.append(_begun(problem, those))
    untried = [problem for key, problem in problems.items() if key not in by_problem]
    return Progress(
        solved=sorted(solved, key=lambda row: row.solved_at, reverse=True),
        begun=sorted(begun, key=lambda row: row.at, reverse=True),
        following=sorted(untried, key=_rank)[:_NEXT],
        shares=_shares(problems.values(), {row.problem.pk for row in solved}),
        total=len(problems),
        is_all=len(tries) < MOST_SUBMISSIONS,
    )


def _tries(user: Person) -> list[_Try]:
    """Return the newest judged submissions, the newest first; those that Tally failed to judge are no tries."""
    own = Submission.objects.filter(user=user.pk, status=Status.DONE).exclude(verdict=Verdict.JE).order_by("-pk")
    columns = ("problem_id", "verdict", "created_at", "pk", "max_cpu_time_us", "total_write_calls")
    return [
        _Try(problem=problem, verdict=verdict, at=at, submission=key, cpu_us=cpu, write_calls=writes)
        for problem, verdict, at, key, cpu, writes in own.values_list(*columns)[:MOST_SUBMISSIONS]
    ]


def _rounding(user: Person, problem: Problem) -> Rounding:
    assert problem.current_version is not None, "lists show published problems only"
    return access.sight_of(user, problem).rounding_of_hidden(problem.current_version)


def _solved(problem: Problem, tries: Sequence[_Try], accepted: Sequence[_Try], rounding: Rounding) -> SolvedProblem:
    first, sums = accepted[0], rounding.of_sums()

    def cpu(numbers: Iterable[int | None]) -> int | None:
        least = min((number for number in numbers if number is not None), default=None)
        return None if least is None else rounding.cpu_time_us(least)

    def writes(numbers: Iterable[int | None]) -> int | None:
        least = min((number for number in numbers if number is not None), default=None)
        return None if least is None else sums.measured(BY_NAME["write_calls"], least)

    return SolvedProblem(
        problem=problem,
        tries=len(tries),
        solved_at=first.at,
        submission=first.submission,
        first_cpu_us=cpu([first.cpu_us]),
        best_cpu_us=cpu(submission.cpu_us for submission in accepted),
        first_write_calls=writes([first.write_calls]),
        best_write_calls=writes(submission.write_calls for submission in accepted),
    )


def _begun(problem: Problem, tries: Sequence[_Try]) -> BegunProblem:
    last = tries[-1]
    return BegunProblem(problem=problem, tries=len(tries), verdict=last.verdict, submission=last.submission, at=last.at)


def _shares(problems: Iterable[Problem], solved: set[int]) -> list[Share]:
    shares = []
    of = {
        difficulty: [problem.pk for problem in problems if problem.difficulty == difficulty]
        for difficulty in (*Difficulty, "")
    }
    for difficulty, keys in of.items():
        if keys:
            number = len(solved & {*keys})
            name = str(Difficulty(difficulty).label) if difficulty else ""
            shares.append(Share(name=name, solved=number, total=len(keys), width=round(100 * number / len(keys), 2)))
    return shares


def _rank(problem: Problem) -> tuple[int, str]:
    ranks = {level: rank for rank, level in enumerate(Difficulty)}
    difficulty = Difficulty(problem.difficulty) if problem.difficulty else None
    return (ranks[difficulty] if difficulty else len(ranks), problem.shown_title.lower())
