"""Which variables of a source hold a list, a text or a map: told by what they are made of, one table for the file.

A name that is given two kinds of things has none.
"""

from dataclasses import dataclass, field

LIST, TEXT, NONE = "list", "text", ""


@dataclass(slots=True)
class Kinds:
    """`of`: a name -> LIST, TEXT or NONE. `maps`: a name -> the map it is, if that has integer keys, or NONE."""

    of: dict[str, str] = field(default_factory=dict)
    maps: dict[str, str] = field(default_factory=dict)

    def set(self, name: str, kind: str) -> None:
        """Note what a name is made of."""
        if name:
            self.of[name] = kind if self.of.get(name, kind) == kind else NONE

    def set_map(self, name: str, kind: str) -> None:
        """Note which map a name stands for; NONE: no map, or one with other keys."""
        if name:
            self.maps[name] = kind if self.maps.get(name, kind) == kind else NONE

    def is_list(self, name: str) -> bool:
        """Return whether the name always stands for a list, an array that grows."""
        return self.of.get(name) == LIST

    def is_text(self, name: str) -> bool:
        """Return whether the name always stands for a text."""
        return self.of.get(name) == TEXT
