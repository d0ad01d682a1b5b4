"""How far the students of an assignment are, problem by problem, for its teacher."""

from dataclasses import dataclass

from judge.models import Assignment
from problems.models import Problem


@dataclass(frozen=True, kw_only=True, slots=True)
class ProblemProgress:
    """How many students solved a problem, tried it and did not solve it, and sent nothing; widths in per cent."""

    problem: Problem
    students: int
    solved: int
    trying: int
    not_begun: int

    @property
    def solved_width(self) -> float:
        """The width of the bar's part of those who solved it."""
        return self._share(self.solved)

    @property
    def trying_width(self) -> float:
        """The width of the part of those who are trying."""
        return self._share(self.trying)

    def _share(self, number: int) -> float:
        return round(100 * number / self.students, 2) if self.students else 0.0


def class_progress(assignment: Assignment) -> list[ProblemProgress]:
    """Return the progress of the class in each problem, the hidden ones too, in the teacher's order."""
    students, counts = assignment.students.count(), assignment.tried_and_solved()
    progress = []
    for problem in assignment.in_order(Problem.objects.all()):
        tries, solved = counts.get(problem.pk, (0, 0))
        progress.append(
            ProblemProgress(
                problem=problem, students=students, solved=solved, trying=tries - solved, not_begun=students - tries
            )
        )
    return progress
