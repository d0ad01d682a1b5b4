"""One fault: the promises made during it, and whether they were kept."""

import time
from collections.abc import Sequence
from dataclasses import dataclass, field

from tests.faults.installation import inside
from tests.faults.installation.installation import Installation, wait_for
from tests.faults.installation.programs import SLUG, SUM_CPP
from tests.faults.ledger import Row
from tests.faults.leftovers import leftovers

WITHIN_S = 180  # of the end of a fault, without a hand


@dataclass(frozen=True, kw_only=True, slots=True)
class Line:
    """A fault in the report."""

    fault: str
    injected: int
    submissions: int
    verdicts: int
    lost: int
    double: int
    recover_s: float


@dataclass(kw_only=True)
class Trial:
    """A fault under way. Count each injection; submit through it; `settle` after each end of the fault."""

    fault: str
    house: Installation
    injected: int = 0
    taken: dict[int, str] = field(default_factory=dict)  # promised rows, and the verdict that each must get
    refused: list[str] = field(default_factory=list)
    seen: dict[int, tuple[str, int]] = field(default_factory=dict)  # the verdict and attempt that was first seen
    changed: set[int] = field(default_factory=set)  # whose verdict was another one later
    recover_s: float = 0.0

    def submit(
        self, count: int = 1, *, source: bytes = SUM_CPP, language: str = "cpp", verdict: str = "AC", user: str = "ann"
    ) -> list[int]:
        """Submit so many, which must get the verdict; the rows that were promised."""
        return self.submit_each([(language, source)] * count, verdict=verdict, user=user)

    def submit_each(
        self, programs: list[tuple[str, bytes]], *, verdict: str = "AC", user: str = "ann", slug: str = SLUG
    ) -> list[int]:
        """Submit these."""
        taken, refused = self.house.inside.do(inside.submit, slug, user, programs)
        self.promise(taken, verdict)
        self.refused += refused
        return taken

    def promise(self, ids: Sequence[int], verdict: str = "AC") -> None:
        """Note what somebody else submitted."""
        self.taken.update(dict.fromkeys(ids, verdict))

    def done(self, ids: Sequence[int]) -> int:
        """How many of these have their verdict."""
        return len(ids) - self.house.ledger.unfinished(ids)

    def row(self, number: int) -> Row:
        """One of them as it is now."""
        [row] = self.house.ledger.rows([number])
        return row

    def wait_until_judged(self, ids: Sequence[int] | None = None) -> None:
        """Wait until these, or all, have their verdict."""
        awaited = list(self.taken) if ids is None else ids
        wait_for(lambda: not self.house.ledger.unfinished(awaited), "verdicts")

    def wait_until_begun(self, number: int) -> None:
        """Wait until a case of it is judged."""
        wait_for(lambda: self.row(number).results, "a case is judged")

    def settle(self, *, within_s: float = WITHIN_S, is_measured: bool = True) -> None:
        """The fault is over: wait until all is judged, then submit once more and wait for that."""
        over = time.monotonic()
        self._wait(within_s)
        self.submit()
        self._wait(within_s - (time.monotonic() - over))
        if is_measured:
            self.recover_s = max(self.recover_s, time.monotonic() - over)
        self._look()

    def problems(self) -> list[str]:
        """What is wrong now that all should be over, one sentence each."""
        rows = {row.id: row for row in self._look()}
        found = [f"submission {number} is lost" for number in self.taken if not self._has_verdict(rows.get(number))]
        found += [f"double: {row}" for row in rows.values() if self._is_double(row)]
        for number, row in rows.items():
            if row.is_done and row.verdict != self.taken[number]:
                found.append(f"{self.taken[number]} was to come: {row}")
            elif row.is_done and row.verdict == "AC" and [v for _, v in row.results] != ["AC"] * (row.cases or 0):
                found.append(f"not every case has its result: {row}")
        if self.recover_s > WITHIN_S:
            found.append(f"it took {self.recover_s:.0f} s to recover")
        return found + [f"left over: {thing}" for thing in leftovers(self.house)]

    def line(self) -> Line:
        """Its line in the report, as it is now."""
        rows = {row.id: row for row in self.house.ledger.rows(list(self.taken))}
        have = sum(self._has_verdict(rows.get(number)) for number in self.taken)
        return Line(
            fault=self.fault,
            injected=self.injected,
            submissions=len(self.taken),
            verdicts=have,
            lost=len(self.taken) - have,
            double=sum(map(self._is_double, rows.values())),
            recover_s=round(self.recover_s, 1),
        )

    def _wait(self, within_s: float) -> None:
        try:
            wait_for(lambda: not self.house.ledger.unfinished(list(self.taken)), "all verdicts", max(1, within_s))
        except AssertionError as error:
            rows = self.house.ledger.rows(list(self.taken))
            waiting = [str(row) for row in rows if not row.is_done][:5]
            logs = [f"{worker.name}: {worker.log()}" for worker in self.house.workers]
            raise AssertionError("\n".join([str(error), *waiting, *logs])) from None

    def _look(self) -> list[Row]:
        """Look at all rows as somebody outside does, who remembers the verdicts seen."""
        rows = self.house.ledger.rows(list(self.taken))
        for row in rows:
            if row.is_done and self.seen.setdefault(row.id, (row.verdict, row.attempt)) != (row.verdict, row.attempt):
                self.changed.add(row.id)
        return rows

    def _has_verdict(self, row: Row | None) -> bool:
        return row is not None and row.is_done and bool(row.verdict)

    def _is_double(self, row: Row) -> bool:
        return row.is_double or row.id in self.changed
