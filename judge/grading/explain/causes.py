"""The cause of a submission: which of its findings is why it failed or was slow.

`main_cause` decides it for every reader: the row keeps its answer, and the result page puts that finding first.
"""

from collections.abc import Sequence

from judge.grading.events import Finding
from judge.grading.explain import CAUSES
from judge.grading.explain.evidence.rule import About
from judge.grading.verdicts import Verdict

_MOST_OF_IT = 50  # per cent of the time
_OF_ITS_TIME = frozenset({Verdict.AC, Verdict.TLE, Verdict.SLE})  # verdicts of programs whose output is right so far


def main_cause(findings: Sequence[Finding], verdict: Verdict) -> str:
    """Return the code of the finding that is the submission's cause; "" if none can be.

    First comes what all else may follow from; then what explains the verdict. Of several findings about the time it is
    the one that took most of it, if one took half; else the first one, in the order of the page.
    """
    order = (About.ALL, About.TIME, About.FAILURE)
    if verdict not in _OF_ITS_TIME:
        order = (About.ALL, About.FAILURE, About.TIME)
    shares = {finding.code: finding.evidence.get("weight_percent", 0) for finding in findings if finding.code in CAUSES}

    def place(code: str) -> tuple[int, int]:
        return order.index(CAUSES[code].about), -shares[code] if shares[code] >= _MOST_OF_IT else 0

    return min(shares, key=place, default="")
