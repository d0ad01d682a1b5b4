"""problem.yaml as values in any version of the format, and the parts that all versions read alike."""

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from difflib import get_close_matches

from problems.files import printable
from problems.keys import Keys
from problems.languages import PACKAGE_LANGUAGES, language_of_code
from problems.legacy_groups import NO_GRADING, GradingYaml
from problems.package import ProblemLimits, TimeRule

FILE = "problem.yaml"
STRICT_VERSION = "2025-09"
TYPES = ("pass-fail", "scoring", "multi-pass", "interactive", "submit-answer")
_ALIKE = 0.9  # problem.yml and the like; problem.json is not
_LANGUAGE = re.compile(r"[a-z]{2,3}(-[A-Z]{2})?")


@dataclass(frozen=True, kw_only=True, slots=True)
class ProblemYaml:
    """The content of problem.yaml. `names` is by language ("en"); `limits` are complete but for the time limit."""

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
    """Return the words of `type`, () when it is missing; each is one of TYPES."""
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
    """Return the names by language; a plain text is English."""
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
    """Return the only languages allowed, None for all of Tally's."""
    words = keys.words("languages")
    if words is None or words == ("all",):
        return None
    found = tuple(dict.fromkeys(language for word in words if (language := language_of_code(word))))
    if not found:
        ours = ", ".join(language.codes[0] for language in PACKAGE_LANGUAGES.values())
        keys.error("languages", f"has none that Tally runs ({ours}), only {', '.join(words)[:100] or 'nothing'}")
        return None
    return found


def misspelt(names: Iterable[str]) -> str:
    """Return the name of a likely misspelt problem.yaml ("problem.yml", "Problem.yaml"); "" for none."""
    return next((name for name in sorted(names) if get_close_matches(name.lower(), [FILE], cutoff=_ALIKE)), "")


def why_missing(names: Iterable[str]) -> str:
    """Explain why a package with these top-level files needs problem.yaml, with a hint at a misspelt name."""
    found = misspelt(names)
    hint = f"; there is {printable(found)}: did you mean {FILE}?" if found else ""
    return f"is missing: it must lie at the top of the package{hint}"
