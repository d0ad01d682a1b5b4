"""Resolve names in a Python source: follow imports and assignments to the name they come from.

One table for the whole file: a name with two meanings has none.
"""

from dataclasses import dataclass, field

from tree_sitter import Node

_DEPTH = 8  # of names that stand for names
_OF_MANY = "?"


@dataclass(slots=True)
class Names:
    """`meanings`: a name -> what it stands for, as dotted text or as the text of a call."""

    meanings: dict[str, str] = field(default_factory=dict)

    def set(self, name: str, meaning: str) -> None:
        """Note a meaning; a second one that differs makes the name mean nothing."""
        previous = self.meanings.get(name, meaning)
        self.meanings[name] = meaning if previous == meaning else _OF_MANY

    def full(self, name: str) -> str:
        """Return `sys.stdout.write` for `out.write` after `from sys import stdout as out`; "?" if nobody can tell."""
        for _ in range(_DEPTH):
            head, dot, rest = name.partition(".")
            meaning = self.meanings.get(head)
            if meaning is None or meaning == head:
                return name
            if meaning == _OF_MANY:
                return _OF_MANY
            name = f"{meaning}{dot}{rest}"
            if meaning.partition(".")[0] == head:
                return name
        return _OF_MANY

    def imported(self, node: Node, text: str) -> None:
        """Note what an import statement brings."""
        words = text.replace("(", " ").replace(")", " ").replace("\n", " ").replace(",", " , ").split()
        if words[:1] == ["from"] and "import" in words:
            module, parts = words[1], " ".join(words[words.index("import") + 1 :]).split(",")
            prefix = f"{module}."
        else:
            prefix, parts = "", " ".join(words[1:]).split(",")
        for part in parts:
            match part.split():
                case [name] if prefix:
                    self.set(name, prefix + name)
                case [name, "as", alias]:
                    self.set(alias, prefix + name)
