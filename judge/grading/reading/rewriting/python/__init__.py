"""The fixes of Python sources."""

from collections.abc import Callable, Mapping

from judge.grading.reading.rewriting.editing import Edit
from judge.grading.reading.rewriting.pycode import PyCode
from judge.grading.reading.rewriting.python.lists import deque_for_list
from judge.grading.reading.rewriting.python.members import set_beside_list
from judge.grading.reading.rewriting.python.portions import joined_portions
from judge.grading.reading.rewriting.python.streams import (
    buffered_calls,
    direct_writes,
    fast_input,
    no_debugging,
    no_flush,
)
from judge.grading.reading.rewriting.python.texts import joined_pieces, printed_at_once
from judge.grading.reading.syntax.python import sites_in_python


def read_code(source: bytes) -> PyCode:
    """Parse the source."""
    root, sites, bindings = sites_in_python(source)
    return PyCode(source=source, root=root, sites=sites, bindings=bindings)


REWRITERS: Mapping[str, Callable[[PyCode], tuple[Edit, ...]]] = {
    "no-flush": no_flush,
    "fast-input": fast_input,
    "printed-at-once": printed_at_once,
    "joined-portions": joined_portions,
    "direct-writes": direct_writes,
    "no-debugging": no_debugging,
    "buffered-calls": buffered_calls,
    "deque-for-list": deque_for_list,
    "set-beside-list": set_beside_list,
    "joined-pieces": joined_pieces,
}
