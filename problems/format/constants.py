"""Constants of a package: `{{name}}` is replaced by a value that problem.yaml defines once.

They are replaced in statements, in every program that the package brings and in the settings of test groups; not in
test data. Source: "Constants" of the package format 2025-09.
"""

import contextlib
import re
from collections.abc import Mapping

from problems.format.typed_mapping import Keys
from problems.package import PackageError
from problems.translation import Sentence

MOST_LENGTH = 1_000  # of a value: `{{k}}` has five characters, so a text grows by no more than 200 times
MOST_BYTES = 64 * 1024 * 1024  # of a text with its constants replaced
_NAME = r"[A-Za-z_][A-Za-z0-9_]*"
_SEQUENCE = re.compile(rf"\{{\{{({_NAME}(?:\.{_NAME})?)\}}\}}".encode())


def read_constants(keys: Keys) -> dict[str, str]:
    """Return the values by "name" and by "name.variant", as text; "name.value" is the same as "name"."""
    section = keys.section("constants")
    constants: dict[str, str] = {}
    for name in section.names():
        if not re.fullmatch(_NAME, name):
            why = Sentence("is not a name for a constant: letters, digits and _, and no digit first")
            section.error(name[:60], why)
        elif isinstance(section.any(name), dict):
            constants.update(_variants(section.section(name), name))
        elif (value := _value(section, name)) is not None:
            constants.update({name: value, f"{name}.value": value})
    return constants


def replaced(content: bytes, constants: Mapping[str, str]) -> bytes:
    """Return the content with every known constant replaced; others stay. Raises PackageError if that is too long."""
    if not constants or b"{{" not in content:
        return content
    values = {name.encode(): value.encode() for name, value in constants.items()}
    grown = len(content)

    def value_of(match: re.Match[bytes]) -> bytes:
        nonlocal grown
        value = values.get(match[1], match[0])
        grown += len(value) - len(match[0])
        if grown > MOST_BYTES:
            raise PackageError("problem.yaml", "constants", Sentence("make a file larger than 64 MiB"))
        return value

    return _SEQUENCE.sub(value_of, content)


def _variants(section: Keys, name: str) -> dict[str, str]:
    main = _value(section, "value")
    if main is None:
        if not section.has("value"):
            section.error("value", Sentence("is missing: every constant has one"))
        return {}
    constants = {name: main}
    for variant in section.names():
        if not re.fullmatch(_NAME, variant):
            why = Sentence("is not a name for a variant: letters, digits and _, and no digit first")
            section.error(variant[:60], why)
        elif (value := _value(section, variant)) is not None:
            constants[f"{name}.{variant}"] = value
            with contextlib.suppress(ValueError):  # neither need be a number
                if float(main) != float(value):
                    values = {"value": value, "main": main}
                    why = Sentence("seems to be another number than the value: %(value)s and %(main)s", **values)
                    section.warn(variant, why)
    return constants


def _value(section: Keys, key: str) -> str | None:
    value = section.any(key)
    if value is None:
        return None
    if isinstance(value, bool) or not isinstance(value, (str, int, float)):
        section.error(key, Sentence("must be a number or text"))
        return None
    text = str(value)
    if len(text) > MOST_LENGTH:
        section.error(key, Sentence("must not have more than %(most)s characters", most=f"{MOST_LENGTH:,}"))
        return None
    return text
