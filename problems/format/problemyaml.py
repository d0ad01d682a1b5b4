"""problem.yaml as values in any version of the format, and the parts that all versions read alike.

Authors, license and source of a problem become one line for people. Source: "Credits", "Source", "License" and "Rights
owner" of the package format 2025-09; "Author" of the legacy one.
"""

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from difflib import get_close_matches

from problems.format.files import printable
from problems.format.grading import NO_GRADING, GradingYaml
from problems.format.typed_mapping import Keys
from problems.languages import PACKAGE_LANGUAGES, language_of_code
from problems.names import visible
from problems.package import ProblemLimits, TimeRule
from problems.translation import Sentence, gettext, gettext_noop, joined, quoted

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
    credits: Sentence = field(default=quoted(""))
    keywords: tuple[str, ...] = ()

    @property
    def has_outputs(self) -> bool:
        """Return whether a test case has one whole output: no conversation, and no further pass."""
        return not self.is_interactive and self.most_passes == 1


def read_types(keys: Keys) -> tuple[str, ...]:
    """Return the words of `type`, () when it is missing; each is one of TYPES."""
    types = keys.words("type") or ()
    for kind in types:
        if kind not in TYPES:
            keys.error("type", Sentence("%(word)r is none of %(words)s", word=kind[:60], words=", ".join(TYPES)))
    if "submit-answer" in types:
        why = Sentence("submit-answer problems cannot be judged: Tally runs programs, and takes no answers as files")
        keys.error("type", why)
    if "scoring" in types and "pass-fail" in types:
        keys.error("type", Sentence("cannot be both pass-fail and scoring"))
    return types


def read_names(keys: Keys) -> dict[str, str]:
    """Return the names by language; a plain text is English."""
    if not isinstance(keys.any("name"), dict):
        name = keys.name("name")
        return {"en": name} if name else {}
    section = keys.section("name")
    names = {}
    for language in section.names():
        if not _LANGUAGE.fullmatch(language):
            section.error(language[:20], Sentence("is not a language code such as en or pt-BR"))
        elif name := section.name(language):
            names[language] = name
    return names


def read_languages(keys: Keys) -> tuple[str, ...] | None:
    """Return the only languages allowed, None for all of Tally's."""
    words = keys.words("languages")
    if words is None or words == ("all",):
        return None
    languages = tuple(dict.fromkeys(language for word in words if (language := language_of_code(word))))
    if not languages:
        ours = ", ".join(language.codes[0] for language in PACKAGE_LANGUAGES.values())
        theirs = ", ".join(words)[:100] or Sentence("nothing")
        keys.error(
            "languages", Sentence("has none that Tally runs (%(ours)s), only %(words)s", ours=ours, words=theirs)
        )
        return None
    return languages


def misspelt(names: Iterable[str]) -> str:
    """Return the name of a likely misspelt problem.yaml ("problem.yml", "Problem.yaml"); "" for none."""
    return next((name for name in sorted(names) if get_close_matches(name.lower(), [FILE], cutoff=_ALIKE)), "")


def why_missing(names: Iterable[str]) -> Sentence:
    """Explain why a package with these top-level files needs problem.yaml, with a hint at a misspelt name."""
    misspelling = misspelt(names)
    if not misspelling:
        return Sentence("is missing: it must lie at the top of the package")
    return Sentence(
        "is missing: it must lie at the top of the package; there is %(found)s: did you mean %(file)s?",
        found=printable(misspelling),
        file=FILE,
    )


LICENSES = ("unknown", "public domain", "cc0", "cc by", "cc by-sa", "educational", "permission")
_LICENSES_IN_WORDS = (
    gettext_noop("unknown"),
    gettext_noop("public domain"),
    gettext_noop("educational"),
    gettext_noop("permission"),
)
_ROLES = ("authors", "contributors", "testers", "packagers", "acknowledgements")
_PERSON_KEYS = ("email", "orcid", "kattis")
_MAIL = re.compile(r"(?<!\s)\s*<[^<>]*>")  # tried once for a run of spaces, not at each of them
_BETWEEN_AUTHORS = re.compile(r",\s*|(?<!\s)\s+(?:and|&)\s+")


def read_credits(keys: Keys) -> Sentence:
    """Return the line for a package of the format 2025-09: authors, license, rights owner."""
    if not isinstance(keys.any("credits"), dict):
        return _line(keys, persons(keys, "credits"))
    section = keys.section("credits")
    names_by_role = {role: persons(section, role) for role in _ROLES}
    translators = section.section("translators")
    for language in translators.names():
        persons(translators, language)
    section.finish()
    return _line(keys, names_by_role["authors"])


def read_legacy_credits(keys: Keys) -> Sentence:
    """Return the line for a legacy package, where `author` is a text with several names, or a list."""
    words = keys.any("author")
    names = words if isinstance(words, list) else _BETWEEN_AUTHORS.split(keys.text("author") or "")
    return _line(keys, [name for name in (_without_mail(str(author)) for author in names) if name])


def read_source(keys: Keys) -> str:
    """Return where the problem was first used: the names of one or several sources."""
    value = keys.any("source")
    if isinstance(value, dict):
        return _named(keys.section("source")) or ""
    if not isinstance(value, list):
        return keys.text("source") or ""
    entries = keys.items("source")
    names = [_named(entry) if isinstance(entry, Keys) else entry for entry in entries]
    return ", ".join(name for name in names if name)


def persons(keys: Keys, key: str) -> list[str]:
    """Return the names of one person or several: each a text ("Name <mail>") or a mapping with a name."""
    value = keys.any(key)
    if isinstance(value, dict):
        names = [_named(keys.section(key), *_PERSON_KEYS)]
    elif isinstance(value, list):
        names = [_named(item, *_PERSON_KEYS) if isinstance(item, Keys) else item for item in keys.items(key)]
    else:
        names = [keys.text(key)]
    return [name for name in map(_without_mail, filter(None, names)) if name]


def _named(entry: Keys, *others: str) -> str | None:
    """Return the name in a mapping, which may also have a url and other fields."""
    name = entry.text("name")
    if not name:
        entry.error("name", Sentence("is missing"))
    entry.finish(others or ("url",))
    return name


def _without_mail(name: str) -> str:
    return _MAIL.sub("", name).strip()


def _line(keys: Keys, authors: list[str]) -> Sentence:
    license_name = keys.text("license")
    owner = keys.text("rights_owner")
    if license_name is not None and license_name not in LICENSES:
        why = Sentence("%(word)r is none of %(words)s", word=license_name[:60], words=", ".join(LICENSES))
        keys.warn("license", why)
    if license_name == "public domain" and owner:
        keys.warn("rights_owner", Sentence("is given, but nobody owns what is in the public domain"))
    parts = [quoted(visible(", ".join(authors)))]
    if license_name and license_name != "unknown":
        name = Sentence(license_name) if license_name in _LICENSES_IN_WORDS else visible(license_name)
        parts.append(Sentence("license %(name)s", name=name))
    if owner and owner not in authors:
        parts.append(Sentence("rights owner %(name)s", name=visible(_without_mail(owner))))
    return joined(filter(None, parts))


def license_in_words(name: str) -> str:
    """Return a license's name in the reader's language; those of Creative Commons have one name everywhere."""
    return gettext(name) if name in _LICENSES_IN_WORDS else name
