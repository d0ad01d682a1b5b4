"""problem.yaml as typed values, for the legacy format, 2025-09 and the drafts between. Units are converted here.

Authors, license and source of a problem become one line for people.

Source: "Problem metadata" in the ICPC/Kattis problem package format, legacy and 2025-09; DOMjudge's dialect for
`type`, `validation` and `limits` in legacy packages.
"""

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from difflib import get_close_matches

from problems.diagnostics import Report
from problems.format.constants import read_constants
from problems.format.files import printable
from problems.format.grading import NO_GRADING, GradingYaml, read_old_grading
from problems.format.limits import LEGACY_RULE, LimitsYaml, read_limits
from problems.format.typed_mapping import Keys
from problems.languages import PACKAGE_LANGUAGES, language_of_code
from problems.names import visible
from problems.package import ProblemLimits, TimeRule
from problems.tags import as_tags
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


_LEGACY_VERSIONS = ("legacy", "legacy-icpc")
_DRAFT_VERSIONS = ("2023-07-draft", "2023-07", "2025-09-draft", "draft")
_LEGACY_KEY = Sentence(
    "belongs to the legacy format: in this one the folder output_validator/ is the checker, and flags stand in "
    "data/sample/test_group.yaml and data/secret/test_group.yaml as output_validator_args"
)
_VALIDATIONS = ("interactive", "multi-pass", "score")


def read_problem_yaml(data: dict[str, object], report: Report) -> ProblemYaml:
    """Return the values of problem.yaml; the report gets the errors, and learns how strict to be."""
    keys = Keys(data, FILE, report)
    version = keys.text("problem_format_version") or "legacy"
    report.is_strict = version == STRICT_VERSION
    if version not in (STRICT_VERSION, *_LEGACY_VERSIONS, *_DRAFT_VERSIONS):
        versions = ", ".join((*_LEGACY_VERSIONS, _DRAFT_VERSIONS[0], STRICT_VERSION))
        why = Sentence("is %(version)r; Tally reads %(known)s", version=version[:40], known=versions)
        keys.error("problem_format_version", why)
    values = _read_legacy(keys) if version in _LEGACY_VERSIONS else _read_new(keys, is_strict=report.is_strict)
    values = replace(values, keywords=as_tags(keys.words("keywords") or ()))  # legacy: they may be one text
    for key in ("uuid", "version", "source_url"):
        keys.text(key)
    if keys.any("embargo_until") is not None:
        keys.warn("embargo_until", Sentence("is not enforced: hide the problem until then"))
    if keys.flag("allow_file_writing") is False:
        why = Sentence("is not enforced: a program may write files of its own, which are gone afterwards")
        keys.warn("allow_file_writing", why)
    keys.finish()
    return values


def _read_legacy(keys: Keys) -> ProblemYaml:
    types = read_types(keys)
    validation = keys.words("validation") or ("default",)
    if validation[0] not in ("default", "custom"):
        keys.error("validation", Sentence("must begin with default or custom, not %(word)r", word=validation[0][:60]))
    for word in validation[1:]:
        if word not in _VALIDATIONS:
            keys.error("validation", Sentence("%(word)r is not known", word=word[:60]))
        elif validation[0] != "custom":
            why = Sentence("%(word)s needs a validator of the package: write custom %(word)s", word=word)
            keys.error("validation", why)
    grading = keys.section("grading")
    is_scoring = "scoring" in types or "score" in validation or grading.has("objective")
    old_grading = read_old_grading(grading)
    grading.finish()
    limits = read_limits(keys, is_strict=False, has_older_keys=True, usual=LEGACY_RULE)
    is_interactive = "interactive" in (*types, *validation)
    is_multi_pass = "multi-pass" in (*types, *validation)
    return ProblemYaml(
        is_legacy=True,
        names=read_names(keys),
        is_custom="custom" in validation or is_interactive or is_multi_pass,
        validator_flags=keys.words("validator_flags") or (),
        is_scoring=is_scoring or (False if types else None),
        has_checker_scores="score" in validation,
        is_interactive=is_interactive,
        most_passes=_passes(keys, limits, is_multi_pass=is_multi_pass),
        time_limit_ms=limits.time_limit_ms,
        limits=limits.limits,
        time_rule=limits.time_rule,
        languages=read_languages(keys),
        constants=read_constants(keys),
        grading=old_grading,
        source=read_source(keys),
        credits=read_legacy_credits(keys),
    )


def _read_new(keys: Keys, *, is_strict: bool) -> ProblemYaml:
    types = read_types(keys)
    for key in ("validation", "validator_flags"):
        if keys.has(key):
            keys.error(key, _LEGACY_KEY)
    if not keys.has("uuid"):
        keys.warn("uuid", Sentence("is missing: the 2025-09 format asks for one"))
    names = read_names(keys)
    if not names and not isinstance(keys.any("name"), dict) and keys.any("name") is None:
        keys.error("name", Sentence("is missing: every problem has a name"))
    limits = read_limits(keys, is_strict=is_strict, has_older_keys=not is_strict, usual=TimeRule())
    return ProblemYaml(
        is_legacy=False,
        is_strict=is_strict,
        names=names,
        is_custom=False,
        is_scoring="scoring" in types,
        has_checker_scores="scoring" in types,
        is_interactive="interactive" in types,
        most_passes=_passes(keys, limits, is_multi_pass="multi-pass" in types),
        validator_flags=(),
        time_limit_ms=limits.time_limit_ms,
        limits=limits.limits,
        time_rule=limits.time_rule,
        languages=read_languages(keys),
        constants=read_constants(keys),
        source=read_source(keys),
        credits=read_credits(keys),
    )


def _passes(keys: Keys, limits: LimitsYaml, *, is_multi_pass: bool) -> int:
    if limits.most_passes is not None and not is_multi_pass:
        keys.warn("limits.validation_passes", Sentence("is not used: the problem is not multi-pass"))
    return (limits.most_passes or 2) if is_multi_pass else 1
