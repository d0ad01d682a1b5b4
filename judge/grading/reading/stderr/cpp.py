"""Read what a C++ program says before it aborts: an uncaught exception, a failed assertion, damage to its memory.

The words are those of libstdc++ (libsupc++/vterminate.cc, pure.cc), of assert(3), and of glibc (malloc/malloc.c,
debug/stack_chk_fail.c). None of them tells the line of a throw.
"""

import re
import signal

from judge.grading.reading.program_errors import ErrorKind, Errors, ProgramError, Said

_SAID = re.compile(
    r"^(?:"
    r"terminate called after throwing an instance of '(?P<name>.+)'(?:\n  what\(\):  (?P<what>.*))?"
    r"|(?P<terminate>terminate called (?:without an active exception|recursively)|pure virtual method called)"
    r"|(?:[^\s:]+: )?(?P<file>\S[^:\n]*):(?P<line>\d{1,7}): .*?(?P<assertion>Assertion [`'].*' failed\.)"
    r"|(?P<heap>(?:free|malloc|realloc|calloc|aligned_alloc|munmap_chunk|malloc_consolidate|mremap_chunk)\(\): .+"
    r"|double free or corruption.*|corrupted (?:size|double-linked).*)"
    r"|\*{3} (?P<overrun>(?:stack smashing|buffer overflow) detected) \*{3}.*"
    r")$",
    re.MULTILINE,
)
_STRING = re.compile(r"^std::(?:__cxx11::)?basic_string<char, .*>$")
_STREAM_FAILURE = "std::__ios_failure"
_INLINE_NAMESPACE = "__cxx11::"


def read(output: Said) -> Errors:
    """Return the error that ended a C++ program: the last one, if it aborted."""
    matches = list(_SAID.finditer(output.text)) if output.signal == signal.SIGABRT else []
    if not matches:
        return Errors()
    match = matches[-1]
    if match["name"]:
        name, what = _STRING.sub("std::string", match["name"]), match["what"] or ""
        name = "std::ios_base::failure" if name == _STREAM_FAILURE else name.replace(_INLINE_NAMESPACE, "")
        return Errors(fatal=ProgramError(kind=ErrorKind.EXCEPTION, name=name, message="" if what == name else what))
    if match["terminate"]:
        return Errors(fatal=ProgramError(kind=ErrorKind.TERMINATE, message=match["terminate"]))
    if match["assertion"]:
        is_own = match["file"] in (output.file, f"/program/{output.file}")
        line = int(match["line"]) if is_own else 0
        return Errors(fatal=ProgramError(kind=ErrorKind.ASSERTION, line=line, message=match["assertion"]))
    if match["heap"]:
        return Errors(fatal=ProgramError(kind=ErrorKind.HEAP, message=match["heap"]))
    return Errors(fatal=ProgramError(kind=ErrorKind.OVERRUN, message=match["overrun"]))
