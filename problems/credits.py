"""Authors, license and source of a problem, from problem.yaml, as one line for people.

Source: "Credits", "Source", "License" and "Rights owner" of the package format 2025-09; "Author" of the legacy one.
"""

import re

from problems.keys import Keys

LICENSES = ("unknown", "public domain", "cc0", "cc by", "cc by-sa", "educational", "permission")
_ROLES = ("authors", "contributors", "testers", "packagers", "acknowledgements")
_PERSON_KEYS = ("email", "orcid", "kattis")
_MAIL = re.compile(r"(?<!\s)\s*<[^<>]*>")  # tried once for a run of spaces, not at each of them
_BETWEEN_AUTHORS = re.compile(r",\s*|(?<!\s)\s+(?:and|&)\s+")


def read_credits(keys: Keys) -> str:
    """Return the line for a package of the format 2025-09: authors, license, rights owner."""
    if not isinstance(keys.any("credits"), dict):
        return _line(keys, persons(keys, "credits"))
    section = keys.section("credits")
    found = {role: persons(section, role) for role in _ROLES}
    translators = section.section("translators")
    for language in translators.names():
        persons(translators, language)
    section.finish()
    return _line(keys, found["authors"])


def read_legacy_credits(keys: Keys) -> str:
    """Return the line for a legacy package, where `author` is a text with several names, or a list."""
    words = keys.any("author")
    names = words if isinstance(words, list) else _BETWEEN_AUTHORS.split(keys.text("author") or "")
    return _line(keys, [name for name in (_without_mail(str(each)) for each in names) if name])


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
        found = [_named(keys.section(key), *_PERSON_KEYS)]
    elif isinstance(value, list):
        found = [_named(item, *_PERSON_KEYS) if isinstance(item, Keys) else item for item in keys.items(key)]
    else:
        found = [keys.text(key)]
    return [name for name in map(_without_mail, filter(None, found)) if name]


def _named(entry: Keys, *others: str) -> str | None:
    """Return the name in a mapping, which may also have a url and other fields."""
    name = entry.text("name")
    if not name:
        entry.error("name", "is missing")
    entry.finish(others or ("url",))
    return name


def _without_mail(name: str) -> str:
    return _MAIL.sub("", name).strip()


def _line(keys: Keys, authors: list[str]) -> str:
    license_name = keys.text("license")
    owner = keys.text("rights_owner")
    if license_name is not None and license_name not in LICENSES:
        keys.warn("license", f"{license_name[:60]!r} is none of {', '.join(LICENSES)}")
    if license_name == "public domain" and owner:
        keys.warn("rights_owner", "is given, but nobody owns what is in the public domain")
    parts = [", ".join(authors)]
    if license_name and license_name != "unknown":
        parts.append(f"license {license_name}")
    if owner and owner not in authors:
        parts.append(f"rights owner {_without_mail(owner)}")
    return "; ".join(part for part in parts if part)
