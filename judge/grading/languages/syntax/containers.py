"""Which variables of a source hold a list or a text: told by what they are made of, one table for the whole file.

A name that is given two kinds of things has none.
"""

from dataclasses import dataclass, field

LIST, TEXT, NONE = "list", "text", ""


@dataclass(slots=True)
class Kinds:
    """`of`: a name -> LIST, TEXT or NONE."""

    of: dict[str, str] = field(default_factory=dict)

    def set(self, name: str, kind: str) -> None:
        """Note what a name is made of."""
        if name:
            self.of[name] = kind if self.of.get(name, kind) == kind else NONE

    def is_list(self, name: str) -> bool:
        """Return whether the name always stands for a list, an array that grows."""
        return self.of.get(name) == LIST

    def is_text(self, name: str) -> bool:
        """Return whether the name always stands for a text."""
        return self.of.get(name) == TEXT
