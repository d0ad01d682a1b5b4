"""What of a source hands over its output piece by piece, and what to do instead, in the words of its language."""

from dataclasses import dataclass

from judge.explain.code import Code
from judge.explain.syntax.places import Deed, Place, Stream

_OUT = (Stream.STDOUT, Stream.UNKNOWN)
_ADVICE = {
    "cpp": {
        "endl": "`endl` flushes each time: write `'\\n'` instead.",
        "flush": "The flush hands over each piece at once: leave it out.",
        "fflush": "`fflush(stdout)` hands over each piece at once: leave it out.",
        "unitbuf": "`unitbuf` flushes after each `<<`: leave it out.",
        "setvbuf": "`setvbuf` took the buffer away: leave it out.",
        "setbuf": "`setbuf` took the buffer away: leave it out.",
        "write()": "Each `write()` is a system call: gather the output in a string, or use `cout` or `printf`.",
        "cin.tie": "`cin` flushes `cout` before it reads: `cin.tie(nullptr)` at the start of `main` ends that.",
    },
    "python": {
        "flush=True": "`flush=True` flushes each time: leave it out.",
        "flush()": "`flush()` hands over each piece at once: leave it out.",
        "line_buffering=True": "With line buffering every line is a system call: leave it out.",
        "buffering": "This opens the output without a buffer for more than a line: leave the buffering as it is.",
        "os.write()": "Each `os.write()` is a system call: gather the output in a list, or use `print`.",
        "write()": "Writing to the raw stream is a system call each time: use `sys.stdout.write`.",
        "input()": (
            "`input()` flushes what was printed before it reads: read with `sys.stdin.readline`, "
            "or print once at the end."
        ),
    },
    "rust": {
        "println!": (
            "`println!` hands over each line at once: `writeln!` into a `BufWriter::new(stdout().lock())` gathers them."
        ),
        "print!": "Rust's stdout hands over each line at once: `write!` into a `BufWriter` gathers them.",
        "writeln!": "Rust's stdout hands over each line at once: a `BufWriter` around it gathers them.",
        "write!": "Rust's stdout hands over each line at once: a `BufWriter` around it gathers them.",
        "write_all()": "Each of these is a system call: put a `BufWriter` around the output.",
        "write()": "Each `write` is a system call: put a `BufWriter` around the output.",
        "flush()": "`flush()` hands over each piece at once: leave it out.",
        "with_capacity": "A `BufWriter` this small gathers nothing: `BufWriter::new` takes 8 KiB.",
    },
}


@dataclass(frozen=True, kw_only=True, slots=True)
class Advised:
    """The places that do it, what they are called, and what to do."""

    construct: str
    places: tuple[Place, ...]
    sentence: str


def advise(code: Code, language: str) -> Advised | None:
    """What in the source hands over stdout again and again; None when nothing that is known does."""
    unbuffered = code.find(Deed.UNBUFFER, streams=_OUT)
    direct = code.find(Deed.FLUSH, streams=_OUT, repeated=True) + code.find(
        Deed.WRITE, streams=(Stream.STDOUT,), repeated=True
    )
    # A stream that is known is better than a parameter, which may be a file.
    direct = tuple(place for place in direct if place.stream is Stream.STDOUT) or direct
    found = (*unbuffered, *direct) or _readers(code, language)
    if not found:
        return None
    names = list(dict.fromkeys(_name(place, language) for place in found))
    sentences = [_ADVICE[language][name] for name in names if name in _ADVICE[language]]
    return Advised(construct=", ".join(names), places=tuple(found), sentence=" ".join(dict.fromkeys(sentences)))


def _readers(code: Code, language: str) -> tuple[Place, ...]:
    """Reads that flush what was printed before, if something is printed between them."""
    if not code.has(Deed.PRINT, streams=_OUT, repeated=True) or code.has(Deed.UNTIE):
        return ()
    names = {"cpp": ("cin", "getline"), "python": ("input()",)}.get(language, ())
    return code.find(Deed.READ, streams=(Stream.STDIN,), repeated=True, names=tuple(names)) if names else ()


def _name(place: Place, language: str) -> str:
    return "cin.tie" if language == "cpp" and place.deed is Deed.READ else place.name
