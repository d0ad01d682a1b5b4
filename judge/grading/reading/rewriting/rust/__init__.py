"""The fixes of Rust sources."""

from collections.abc import Callable, Mapping

from judge.grading.reading.rewriting.editing import Edit
from judge.grading.reading.rewriting.rust.streams import (
    buffered_macros,
    buffered_reader,
    buffered_stdout,
    buffered_writer,
    no_debugging,
    no_flush,
    unbuffered_writer,
)
from judge.grading.reading.rewriting.rust.texts import append_in_place
from judge.grading.reading.rewriting.rust.values import borrowed_parameters, chars_before_loop, deque_for_vec
from judge.grading.reading.rewriting.rustcode import RustCode
from judge.grading.reading.syntax.rust import sites_in_rust


def read_code(source: bytes) -> RustCode:
    """Parse the source."""
    root, sites, kinds = sites_in_rust(source)
    return RustCode(source=source, root=root, sites=sites, kinds=kinds)


REWRITERS: Mapping[str, Callable[[RustCode], tuple[Edit, ...]]] = {
    "no-flush": no_flush,
    "buffered-writer": buffered_writer,
    "buffered-stdout": buffered_stdout,
    "buffered-macros": buffered_macros,
    "no-debugging": no_debugging,
    "buffered-reader": buffered_reader,
    "append-in-place": append_in_place,
    "chars-before-loop": chars_before_loop,
    "deque-for-vec": deque_for_vec,
    "borrowed-parameters": borrowed_parameters,
    "unbuffered-writer": unbuffered_writer,
}
