"""The dozen libbpf functions that the meter needs, called through ctypes (libbpf 0.5 and newer; bpf/libbpf.h).

An object file holds programs and maps; loading it has the kernel verify them; a program does something only while it is
attached. Whatever fails raises BpfError with the kernel's reason, and it is ours.
"""

import ctypes
import functools
import os
from collections.abc import Callable
from pathlib import Path

LARGEST_ERRNO = 4095  # libbpf 0.x hands errors back as pointers in the last page of the address space
LIBRARIES = ("libbpf.so.1", "libbpf.so.0")


class BpfError(Exception):
    """libbpf or the kernel refused; `errno` is the kernel's number, 0 when there is none."""

    def __init__(self, what: str, errno: int = 0) -> None:
        super().__init__(f"{what}: {os.strerror(errno)}" if errno else what)
        self.errno = errno


@functools.cache
def _library() -> ctypes.CDLL:
    for name in LIBRARIES:
        try:
            library = ctypes.CDLL(name, use_errno=True)
        except OSError:
            continue
        break
    else:
        raise BpfError("libbpf is not installed (package libbpf1 or libbpf0)")
    pointer, text, number = ctypes.c_void_p, ctypes.c_char_p, ctypes.c_int
    signatures: dict[str, tuple[type | None, tuple[type, ...]]] = {
        "libbpf_set_print": (pointer, (pointer,)),
        "bpf_object__open": (pointer, (text,)),
        "bpf_object__load": (number, (pointer,)),
        "bpf_object__close": (None, (pointer,)),
        "bpf_object__find_program_by_name": (pointer, (pointer, text)),
        "bpf_object__find_map_fd_by_name": (number, (pointer, text)),
        "bpf_program__attach": (pointer, (pointer,)),
        "bpf_program__fd": (number, (pointer,)),
        "bpf_link__destroy": (number, (pointer,)),
        "bpf_map_lookup_elem": (number, (number, pointer, pointer)),
        "bpf_map_update_elem": (number, (number, pointer, pointer, ctypes.c_uint64)),
        "bpf_map_delete_elem": (number, (number, pointer)),
    }
    for function, (result, arguments) in signatures.items():
        getattr(library, function).restype = result
        getattr(library, function).argtypes = arguments
    library.libbpf_set_print(None)  # the reason travels in the errno, not on our stderr
    return library


def _checked(pointer: int | None, what: str) -> int:
    if not pointer:
        raise BpfError(what, ctypes.get_errno())
    if pointer >= (1 << (8 * ctypes.sizeof(ctypes.c_void_p))) - LARGEST_ERRNO:
        raise BpfError(what, ctypes.c_ssize_t(-pointer).value)
    return pointer


class BpfObject:
    """One loaded object file with its programs and maps."""

    def __init__(self, path: Path) -> None:
        library = _library()
        self._pointer: int | None = _checked(library.bpf_object__open(os.fsencode(path)), f"cannot open {path.name}")
        error = library.bpf_object__load(self._pointer)
        if error:
            self.close()
            raise BpfError(f"the kernel refused {path.name}", -error)

    def close(self) -> None:
        """Unload the programs and free the maps."""
        if self._pointer is not None:
            _library().bpf_object__close(self._pointer)
            self._pointer = None

    def attach(self, program: str) -> Callable[[], object]:
        """Attach a program to the hook that its section names, and return what detaches it.

        When that returns, the program no longer runs on the processor that it ran on.
        """
        link = _checked(_library().bpf_program__attach(self._program(program)), f"cannot attach {program}")
        return functools.partial(_library().bpf_link__destroy, link)

    def missed_visits(self, program: str) -> int:
        """Return how often the kernel skipped the program since loading (source: fdinfo of a program, Linux 5.12)."""
        descriptor = _library().bpf_program__fd(self._program(program))
        try:
            lines = Path(f"/proc/self/fdinfo/{descriptor}").read_text().splitlines()
        except OSError as error:
            raise BpfError(f"cannot read what is said of {program}", error.errno or 0) from error
        for line in lines:
            if line.startswith("recursion_misses:"):
                return int(line.split()[1])
        return 0  # older kernels neither skip raw tracepoints of tasks nor say so

    def read(self, map_name: str, key: int, size: int) -> bytes:
        """Return an entry of a map with keys of 32 bits: `size` bytes."""
        value = ctypes.create_string_buffer(size)
        if _library().bpf_map_lookup_elem(self._map(map_name), ctypes.byref(ctypes.c_uint32(key)), value):
            raise BpfError(f"cannot read {map_name}", ctypes.get_errno())
        return value.raw

    def write(self, map_name: str, key: int, value: bytes) -> None:
        """Make or overwrite an entry."""
        at = ctypes.byref(ctypes.c_uint32(key))
        if _library().bpf_map_update_elem(self._map(map_name), at, ctypes.c_char_p(value), 0):
            raise BpfError(f"cannot write {map_name}", ctypes.get_errno())

    def remove(self, map_name: str, key: int) -> None:
        """Remove an entry, if it is there."""
        _library().bpf_map_delete_elem(self._map(map_name), ctypes.byref(ctypes.c_uint32(key)))

    def _program(self, name: str) -> int:
        pointer = _library().bpf_object__find_program_by_name(self._pointer, name.encode())
        return _checked(pointer, f"there is no program {name}")

    def _map(self, name: str) -> int:
        descriptor: int = _library().bpf_object__find_map_fd_by_name(self._pointer, name.encode())
        if descriptor < 0:
            raise BpfError(f"there is no map {name}", -descriptor)
        return descriptor
