"""Scripts for programs/script.c, drawn by chance: calls of the read and write families on every kind of descriptor."""

import os
import signal

from hypothesis import strategies as st

from sandbox.meter.meter import BUILD

Script = tuple[str, ...]
NUMBERS = {name: number for number, name in map(str.split, (BUILD / "syscalls.txt").read_text().splitlines())}

_AT_CWD, _NONBLOCK, _READ_WRITE, _CREATE = -100, os.O_NONBLOCK, os.O_RDWR | os.O_NONBLOCK, os.O_CREAT | os.O_NONBLOCK
_FILES = ("a", "b")


def call(name: str, *given: object) -> str:
    """The word for a system call."""
    return ":".join(str(part) for part in (NUMBERS[name], *given))


# Descriptors 3 and 4 are files, 5 and 6 a pipe, 7 and 8 a pair of sockets, 9 and 10 another pipe, 11 one in memory.
START = (
    *(call("openat", _AT_CWD, f"P{name}", _READ_WRITE | _CREATE, 0o600) for name in _FILES),
    call("pipe2", "E0", _NONBLOCK),
    call("socketpair", 1, 1 | _NONBLOCK, 0, "E0"),
    call("pipe2", "E0", _NONBLOCK),
    call("memfd_create", "Pm", 0),
    call("write", 3, "B0", 9_000),
    call("write", 6, "B0", 3_000),
    call("write", 7, "B0", 2_000),
)

_descriptors = st.one_of(st.integers(0, 2), st.integers(0, 12), st.sampled_from([-1, 99]))
_lengths = st.sampled_from([0, 1, 10, 100, 4_096, 5_000, 70_000, 300_000])
_parts = st.sampled_from([0, 1, 7, 1_000, 30_000]).map(lambda size: f"V{size}")
_offsets = st.sampled_from([0, 1, 5_000, 1 << 20, -1])
_pointers = st.one_of(st.just(0), _offsets.map(lambda offset: f"O{offset}"))
_buffers = st.sampled_from(["B0", "B0", "B0", 0])
_paths = st.sampled_from(
    ["/dev/stdin", "/dev/stdout", "/dev/stderr", "/dev/null", "/dev/zero", "a", "b", "nowhere"]
).map("P{}".format)
_messages = st.sampled_from(["M0", "M1", "M900", "C10", "F0", "F1", "F2", "F3", "0"])


def _calls(names: tuple[str, ...], *given: st.SearchStrategy[object] | object) -> st.SearchStrategy[str]:
    parts = (part if isinstance(part, st.SearchStrategy) else st.just(part) for part in given)
    return st.builds(call, st.sampled_from(names), *parts)


_CALL = st.one_of(
    _calls(("read", "write"), _descriptors, _buffers, _lengths),
    _calls(("pread64", "pwrite64"), _descriptors, _buffers, _lengths, _offsets),
    _calls(("readv", "writev"), _descriptors, _parts, st.sampled_from([0, 1, 2, 2, 5_000])),
    _calls(("preadv", "pwritev"), _descriptors, _parts, 2, _offsets),
    _calls(("preadv2", "pwritev2"), _descriptors, _parts, 2, _offsets, 0, 0),
    _calls(("pwritev2",), _descriptors, _parts, 2, 0, 0, 16),  # RWF_APPEND
    _calls(("sendfile",), _descriptors, _descriptors, _pointers, _lengths),
    _calls(("splice",), _descriptors, _pointers, _descriptors, _pointers, _lengths, 2),
    _calls(("copy_file_range",), _descriptors, _pointers, _descriptors, _pointers, _lengths, 0),
    _calls(("tee",), _descriptors, _descriptors, _lengths, 2),
    _calls(("vmsplice",), _descriptors, _parts, 2, 2),
    _calls(("sendto", "recvfrom"), _descriptors, _buffers, _lengths, 0, 0, 0),
    _calls(("sendmsg", "recvmsg"), st.sampled_from([7, 8, 1]), _messages, 0),
    _calls(("sendmmsg", "recvmmsg"), st.sampled_from([7, 8, 2]), st.sampled_from(["H5", "H0", "H700"]), 2, 0, 0),
    _calls(("dup2",), _descriptors, st.integers(0, 12)),
    _calls(("dup3",), _descriptors, st.integers(0, 12), os.O_CLOEXEC),
    _calls(("dup", "close"), _descriptors),
    _calls(("fcntl",), _descriptors, 0, 9),  # F_DUPFD
    _calls(("openat",), _AT_CWD, _paths, st.sampled_from([_NONBLOCK, _READ_WRITE]), 0),
    _calls(("lseek",), _descriptors, st.sampled_from([0, 10, 8_000]), 0),
    _calls(("ftruncate",), _descriptors, st.sampled_from([0, 100, 20_000])),
    _calls(("shutdown",), st.sampled_from([7, 8]), 1),
    _calls(("setrlimit",), 1, "L50000"),  # RLIMIT_FSIZE
    st.just(call("getppid")),
).map(lambda word: (word,))


def _in_blocks(kinds: tuple[str, ...], inner: st.SearchStrategy[Script]) -> st.SearchStrategy[Script]:
    return st.builds(lambda kind, words: (f"{kind}{{", *words, "}"), st.sampled_from(kinds), inner)


def _several(element: st.SearchStrategy[Script], most: int) -> st.SearchStrategy[Script]:
    return st.lists(element, min_size=1, max_size=most).map(lambda elements: tuple(sum(elements, ())))


_LINE = _several(_CALL, 12)
# Who executes another program never comes back to say so; in a vfork the parent's memory is not ours to leave.
_ENDS = st.one_of(
    st.just(()),
    _calls(("kill",), "I0", st.sampled_from([signal.SIGKILL, signal.SIGTERM, signal.SIGSEGV])).map(
        lambda word: (word,)
    ),
    st.just((call("exit_group", 3),)),
    st.just(("thread{", call("write", 1, "B0", 5), call("exit_group", 4), "}")),
    _in_blocks(("executes",), _LINE),
)
_LEAF = st.one_of(_LINE, _in_blocks(("vfork", "thread"), _LINE))
_WAITED_FOR = _in_blocks(
    ("fork", "shares", "silent", "execs"), st.builds(lambda words, end: words + end, _several(_LEAF, 3), _ENDS)
)
_NOT_WAITED_FOR = _in_blocks(
    ("thread", "forgotten", "mute", "orphan", "lingers"), _several(st.one_of(_LEAF, _WAITED_FOR), 3)
)
SCRIPTS = st.builds(
    lambda words, end: START + words + end, _several(st.one_of(_LINE, _LEAF, _WAITED_FOR, _NOT_WAITED_FOR), 6), _ENDS
)

# For a stdout that somebody reads meanwhile: only calls that write all or little, so that chance decides nothing.
_outputs = st.sampled_from([1, 1, 1, 2, 3, 12])
WRITING_SCRIPTS = _several(
    st.one_of(
        _calls(("write",), _outputs, _buffers, _lengths),
        _calls(("writev",), _outputs, _parts, st.sampled_from([0, 1, 2, 5_000])),
        _calls(("pwrite64",), _outputs, "B0", _lengths, _offsets),
        _calls(("pwritev2",), _outputs, _parts, 2, st.sampled_from([0, -1]), 0, 0),
        _calls(("sendfile",), _outputs, 3, "O0", st.sampled_from([0, 10, 4_096])),
        _calls(("splice",), 5, 0, _outputs, 0, _lengths, 2),
        _calls(("vmsplice",), _outputs, st.sampled_from(["V0", "V7", "V1000"]), 2, 0),
        _calls(("dup2",), _outputs, st.sampled_from([2, 12])),
        _calls(("openat",), _AT_CWD, st.sampled_from(["P/dev/stdout", "P/dev/stderr"]), os.O_WRONLY, 0),
        _calls(("close",), st.sampled_from([12, 13])),
    ).map(lambda word: (word,)),
    15,
).map(lambda words: START + words)
