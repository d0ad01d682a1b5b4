"""problem.yaml as typed values, for the legacy format, 2025-09 and the drafts between. Units are converted here.

Source: "Problem metadata" in the ICPC/Kattis problem package format, legacy and 2025-09; DOMjudge's dialect for
`type`, `validation` and `limits` in legacy packages.
"""

from dataclasses import replace

from problems.diagnostics import Report
from problems.format import problemyaml
from problems.format.constants import read_constants
from problems.format.grading import read_old_grading
from problems.format.limits import LEGACY_RULE, LimitsYaml, read_limits
from problems.format.typed_mapping import Keys
from problems.package import TimeRule
from problems.tags import as_tags
from problems.translation import Sentence

_LEGACY_VERSIONS = ("legacy", "legacy-icpc")
_DRAFT_VERSIONS = ("2023-07-draft", "2023-07", "2025-09-draft", "draft")
_LEGACY_KEY = Sentence(
    "belongs to the legacy format: in this one the folder output_validator/ is the checker, and flags stand in "
    "data/sample/test_group.yaml and data/secret/test_group.yaml as output_validator_args"
)
_VALIDATIONS = ("interactive", "multi-pass", "score")


def read_problem_yaml(data: dict[str, object], report: Report, file: str = "problem.yaml") -> problemyaml.ProblemYaml:
    """Return the values of problem.yaml; the report gets the errors, and learns how strict to be."""
    keys = Keys(data, file, report)
    version = keys.text("problem_format_version") or "legacy"
    report.is_strict = version == problemyaml.STRICT_VERSION
    if version not in (problemyaml.STRICT_VERSION, *_LEGACY_VERSIONS, *_DRAFT_VERSIONS):
        versions = ", ".join((*_LEGACY_VERSIONS, _DRAFT_VERSIONS[0], problemyaml.STRICT_VERSION))
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


def _read_legacy(keys: Keys) -> problemyaml.ProblemYaml:
    types = problemyaml.read_types(keys)
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
    return problemyaml.ProblemYaml(
        is_legacy=True,
        names=problemyaml.read_names(keys),
        is_custom="custom" in validation or is_interactive or is_multi_pass,
        validator_flags=keys.words("validator_flags") or (),
        is_scoring=is_scoring or (False if types else None),
        has_checker_scores="score" in validation,
        is_interactive=is_interactive,
        most_passes=_passes(keys, limits, is_multi_pass=is_multi_pass),
        time_limit_ms=limits.time_limit_ms,
        limits=limits.limits,
        time_rule=limits.time_rule,
        languages=problemyaml.read_languages(keys),
        constants=read_constants(keys),
        grading=old_grading,
        source=problemyaml.read_source(keys),
        credits=problemyaml.read_legacy_credits(keys),
    )


def _read_new(keys: Keys, *, is_strict: bool) -> problemyaml.ProblemYaml:
    types = problemyaml.read_types(keys)
    for key in ("validation", "validator_flags"):
        if keys.has(key):
            keys.error(key, _LEGACY_KEY)
    if not keys.has("uuid"):
        keys.warn("uuid", Sentence("is missing: the 2025-09 format asks for one"))
    names = problemyaml.read_names(keys)
    if not names and not isinstance(keys.any("name"), dict) and keys.any("name") is None:
        keys.error("name", Sentence("is missing: every problem has a name"))
    limits = read_limits(keys, is_strict=is_strict, has_older_keys=not is_strict, usual=TimeRule())
    return problemyaml.ProblemYaml(
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
        languages=problemyaml.read_languages(keys),
        constants=read_constants(keys),
        source=problemyaml.read_source(keys),
        credits=problemyaml.read_credits(keys),
    )


def _passes(keys: Keys, limits: LimitsYaml, *, is_multi_pass: bool) -> int:
    if limits.most_passes is not None and not is_multi_pass:
        keys.warn("limits.validation_passes", Sentence("is not used: the problem is not multi-pass"))
    return (limits.most_passes or 2) if is_multi_pass else 1
