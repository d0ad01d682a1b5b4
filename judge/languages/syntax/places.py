"""What a source does where: the values that the parsing process hands back."""

from dataclasses import dataclass
from enum import StrEnum


class Deed(StrEnum):
    """What a place in a source does to a stream, or to the time on the clock."""

    PRINT = "print"  # puts something into the buffer
    FLUSH = "flush"  # hands the buffer over at once
    UNBUFFER = "unbuffer"  # from here on nothing is gathered
    WRITE = "write"  # one system call each time
    READ = "read"  # takes something out of the buffer
    FETCH = "fetch"  # one system call each time
    GATHER = "gather"  # puts a buffer around the stream
    UNTIE = "untie"  # ends the flush of the output before each read
    SLEEP = "sleep"
    THREAD = "thread"  # starts one
    PROCESS = "process"  # starts one
    ALLOCATE = "allocate"  # asks for memory, or gives it back


class Stream(StrEnum):
    """What a place reads or writes."""

    STDIN = "stdin"
    STDOUT = "stdout"
    STDERR = "stderr"
    OTHER = "other"  # a file or something in memory
    UNKNOWN = "unknown"  # such as a parameter's


@dataclass(frozen=True, kw_only=True, slots=True)
class Place:
    """One of them. `is_repeated`: it stands in a loop, or in what a loop or a recursion calls."""

    line: int  # from 1
    deed: Deed
    stream: Stream
    name: str  # as in the source's language: "endl", "flush=True", "println!"
    is_repeated: bool
    words: tuple[str, ...] = ()  # of a print, the text it holds
