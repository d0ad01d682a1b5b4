"""The fixes of C++ sources."""

from collections.abc import Callable, Mapping

from judge.grading.reading.rewriting.cpp.containers import deque_for_vector, unordered_for_map
from judge.grading.reading.rewriting.cpp.streams import (
    buffered_calls,
    keep_buffer,
    newline_for_endl,
    no_debugging,
    no_flush,
    quiet_stderr,
    unsync,
)
from judge.grading.reading.rewriting.cpp.texts import append_in_place
from judge.grading.reading.rewriting.cpp.values import reference_elements, reference_parameters, strlen_before_loop
from judge.grading.reading.rewriting.cppcode import CppCode
from judge.grading.reading.rewriting.editing import Edit
from judge.grading.reading.syntax.cpp import sites_in_cpp


def read_code(source: bytes) -> CppCode:
    """Parse the source."""
    root, sites = sites_in_cpp(source)
    return CppCode(source=source, root=root, sites=sites)


REWRITERS: Mapping[str, Callable[[CppCode], tuple[Edit, ...]]] = {
    "newline-for-endl": newline_for_endl,
    "no-flush": no_flush,
    "keep-buffer": keep_buffer,
    "unsync": unsync,
    "no-debugging": no_debugging,
    "quiet-stderr": quiet_stderr,
    "buffered-calls": buffered_calls,
    "append-in-place": append_in_place,
    "strlen-before-loop": strlen_before_loop,
    "deque-for-vector": deque_for_vector,
    "reference-parameters": reference_parameters,
    "reference-elements": reference_elements,
    "unordered-for-map": unordered_for_map,
}
