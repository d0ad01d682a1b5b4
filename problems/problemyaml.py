"""What problem.yaml says, as values, whichever version of the format it is in; and what both versions read alike."""

import re
from collections.abc import Mapping
from dataclasses import dataclass, field

from problems.keys import Keys
from problems.legacy_groups import NO_GRADING, GradingYaml
from problems.package import ProblemLimits, TimeRule

STRICT_VERSION = "2025-09"
TYPES = ("pass-fail", "scoring", "multi-pass", "interactive", "submit-answer")
_LANGUAGE = re.compile(r"[a-z]{2,3}(-[A-Z]{2})?")
# The codes of the format, and of DOMjudge, for the languages that Tally runs.
FORMAT_LANGUAGES = {
    "python3": "python",
    "python": "python",
    "py3": "python",
    "cpp": "cpp",
    "c++": "cpp",
    "rust": "rust",
    "rs": "rust",
}


@dataclass(frozen=True, kw_only=True, slots=True)
class ProblemYaml:
    """What problem.yaml says. `names` is by language ("en"); `limits` are whole but for the time limit."""

    is_legacy: bool
    names: Mapping[str, str]
    is_custom: bool  # legacy: validation is custom; 2025-09 has no such key, the folder decides
    validator_flags: tuple[str, ...]
    time_limit_ms: int | None  # None: problem.yaml does not say
    is_strict: bool = False  # 2025-09
    is_scoring: bool | None = False  # None, legacy only: it does not say, so the test groups decide
    has_checker_scores: bool = False  # legacy: validation says "score"
    is_interactive: bool = False
    most_passes: int = 1
    limits: ProblemLimits = field(default_factory=ProblemLimits)
    time_rule: TimeRule = field(default_factory=TimeRule)
    languages: tuple[str, ...] | None = None
    constants: Mapping[str, str] = field(default_factory=dict)
    grading: GradingYaml = NO_GRADING  # what a legacy file gives for all groups
    source: str = ""
    credits: str = ""

    @property
    def has_outputs(self) -> bool:
        """Whether a test case has one whole output: no conversation, and no further pass."""
        return not self.is_interactive and self.most_passes == 1


def read_types(keys: Keys) -> tuple[str, ...]:
    """The words of `type`, () when it is not given; each is one of TYPES."""
    types = keys.words("type") or ()
    for kind in types:
        if kind not in TYPES:
            keys.error("type", f"{kind[:60]!r} is none of {', '.join(TYPES)}")
    if "submit-answer" in types:
        keys.error(
            "type", "submit-answer problems cannot be judged: Tally runs programs, and takes no answers as files"
        )
    if "scoring" in types and "pass-fail" in types:
        keys.error("type", "cannot be both pass-fail and scoring")
    return types


def read_names(keys: Keys) -> dict[str, str]:
    """The names by language: one text is the English one."""
    if not isinstance(keys.any("name"), dict):
        name = keys.text("name")
        return {"en": name} if name else {}
    section = keys.section("name")
    names = {}
    for language in section.names():
        if not _LANGUAGE.fullmatch(language):
            section.error(language[:20], "is not a language code such as en or pt-BR")
        elif text := section.text(language):
            names[language] = text
    return names


def read_languages(keys: Keys) -> tuple[str, ...] | None:
    """The only languages that may be submitted, None for all of Tally's."""
    words = keys.words("languages")
    if words is None or words == ("all",):
        return None
    found = tuple(dict.fromkeys(FORMAT_LANGUAGES[word] for word in words if word in FORMAT_LANGUAGES))
    if not found:
        ours = ", ".join(("python3", "cpp", "rust"))
        keys.error("languages", f"has none that Tally runs ({ours}), only {', '.join(words)[:100] or 'nothing'}")
        return None
    return found
