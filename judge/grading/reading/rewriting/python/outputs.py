"""What of a Python source prints, so that a rewriter knows what keeps its order."""

from tree_sitter import Node

from judge.grading.reading.places import Deed, Stream
from judge.grading.reading.rewriting.pycode import PyCode
from judge.grading.reading.rewriting.pyscopes import FUNCTIONS, is_name
from judge.grading.reading.syntax.walking import Site, nodes_of


def outputs_of(code: PyCode) -> list[Site]:
    """Return what prints to stdout, or may."""
    return [
        site
        for site in code.sites
        if site.place.deed in (Deed.PRINT, Deed.WRITE) and site.place.stream in (Stream.STDOUT, Stream.UNKNOWN)
    ]


def may_print_otherwise(code: PyCode) -> bool:
    """Return whether something is printed that no call of `print` shows: by `map(print, ...)`, by a prompt."""
    for node in nodes_of(code.root):
        if not is_name(node) or code.text(node) not in ("print", "input", "help"):
            continue
        call = node.parent
        is_called = call is not None and call.type == "call" and call.child_by_field_name("function") == node
        if code.text(node) == "help" or (code.text(node) == "print" and not is_called):
            return True
        if code.text(node) == "input" and is_called and call is not None and code.positional(call):
            return True
    return False


def prints_elsewhere(loop: Node, outputs: list[Site]) -> bool:
    """Return whether a function around which the loop does not stand prints too: the loop may call it."""
    around = set[int]()
    above = loop.parent
    while above is not None:
        around.add(above.id)
        above = above.parent
    return any(_function_of(site.node) not in (None, *around) for site in outputs)


def _function_of(node: Node) -> int | None:
    above = node.parent
    while above is not None and above.type not in FUNCTIONS:
        above = above.parent
    return above.id if above is not None else None
