"""What a source does on which line, and its tokens: the values that a reader hands back. The worker imports them."""

from dataclasses import dataclass
from enum import StrEnum

OF_LOOKUP = "lookup"  # the steps of a look into a map, as a loop is called


class Deed(StrEnum):
    """The effect of a place in a source on a stream, or on wall time."""

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
    LOOP = "loop"  # also a call that goes through a whole container
    ENDLESS = "endless"  # a loop that nothing in it can end, as far as its text shows
    OPEN = "open"  # a loop that may not come to an end, as far as its text shows
    STUCK = "stuck"  # a loop with a known mistake because of which it may never end; its name is a `Stuck`
    RETRY = "retry"  # a loop that reads whether or not the reads before have failed
    AMBIGUOUS = "ambiguous"  # a regular expression that can read the same text in very many ways
    LOCAL = "local"  # a large array on the stack of a function; its word: the size in bytes
    DIVIDE = "divide"  # by a number that the source does not show to be other than 0
    SEARCH = "search"  # goes through a list from its beginning
    SHIFT = "shift"  # moves all that stands behind a place of a list
    LOOKUP = "lookup"  # asks a map whose keys are integers for one of them
    COPY = "copy"  # makes a new text or list out of a whole one
    HASH = "hash"  # asks a hash table
    KEEP = "keep"  # makes many values, or adds one to those that are there; its words: the bytes of a table
    COSTLY = "costly"  # its name is of judge.grading.explain.evidence.constructs: dearer than it looks, wherever it is
    CONVERT = "convert"  # makes a value out of text, or text out of a value
    BRANCH = "branch"  # calls its own function twice in one expression, and keeps no result
    AGAIN = "again"  # calls its own function, which keeps no result
    RECURSE = "recurse"  # a function that calls itself
    UNSYNC = "unsync"  # ends the agreement of C++'s streams with stdio
    REOPEN = "reopen"  # puts a file in the place of a stream
    QUIT = "quit"  # ends the process at once, or a buffer's life: what is still in it is never written


class Stuck(StrEnum):
    """The mistake because of which a loop may never end."""

    UNSIGNED = "unsigned"  # asks whether an unsigned number is 0 or more
    SEARCH = "search"  # a binary search that sets an end to the middle which it may be already
    COUNTER = "counter"  # sets its own counter back
    DIRECTION = "direction"  # counts away from its bound
    SQUARE = "square"  # compares a product that may overflow
    FRACTION = "fraction"  # waits for a sum of fractions to equal a number
    NOTHING = "nothing"  # changes what it asks for by nothing


class Stream(StrEnum):
    """The stream that a place reads or writes."""

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
    head: int = 0  # of a costly construct, the line at which the loop around it begins; 0: another line has no loop


@dataclass(frozen=True, slots=True)
class Code:
    """The deeds of a source by place, as its grammar reads it: empty if that is too much for the reader."""

    places: tuple[Place, ...] = ()

    def find(
        self, *deeds: Deed, streams: tuple[Stream, ...] = (), repeated: bool = False, names: tuple[str, ...] = ()
    ) -> tuple[Place, ...]:
        """Return the places of these deeds: of these streams and names, if there are any; `repeated`: only such."""
        return tuple(
            place
            for place in self.places
            if place.deed in deeds
            and (not streams or place.stream in streams)
            and (not names or place.name in names)
            and (place.is_repeated or not repeated)
        )

    def has(self, *deeds: Deed, streams: tuple[Stream, ...] = (), repeated: bool = False) -> bool:
        """Return whether there is such a place."""
        return bool(self.find(*deeds, streams=streams, repeated=repeated))


def lines_of(places: tuple[Place, ...]) -> tuple[int, ...]:
    """Return the line numbers of these places, each once, in order."""
    return tuple(sorted({place.line for place in places}))


class TokenKind(StrEnum):
    """How a page colours a token. Rows keep the place of a kind in this list: new ones come last."""

    COMMENT = "comment"
    STRING = "string"
    NUMBER = "number"
    KEYWORD = "keyword"
    TYPE = "type"
    DIRECTIVE = "directive"
