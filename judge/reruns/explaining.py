"""What reruns of a submission's cases told, and the findings after each of them.

The rules are asked with and without what the last rerun told, and the findings change by what their answers changed by.
"""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace

from judge.grading.events import Finding, RerunEvidence
from judge.grading.explain import Explanation, explain_anew
from judge.grading.explain.evidence.facts import Facts
from judge.reruns.kinds import RerunKind
from sandbox.types import Profile


@dataclass(frozen=True, kw_only=True, slots=True)
class Told:
    """What the reruns of a submission told, by case. `awaited`: the cases whose calls were to be counted before the
    last one.
    """

    profiles: Mapping[str, Profile]
    reruns: Mapping[str, RerunEvidence]
    awaited: Collection[str]


def explained_after(kind: RerunKind, case_name: str, stood: Sequence[Finding], facts: Facts, told: Told) -> Explanation:
    """Return the findings after the last rerun, which `told` has; `stood`: those before it."""
    facts, awaited = replace(facts, reruns=told.reruns), frozenset(told.awaited)
    if kind is RerunKind.PROFILE:
        earlier = {name: profile for name, profile in told.profiles.items() if name not in awaited}
        before, now = facts.with_counts(earlier, awaited), facts.with_counts(told.profiles, awaited - {case_name})
    else:
        now = facts.with_counts(told.profiles, awaited)
        untold = replace(told.reruns[case_name], **{kind.record.column: None})
        before = replace(now, reruns={**told.reruns, case_name: untold})
    return explain_anew(stood, before, now)
