"""Made-up submissions whose programs spend their time in themselves: one for each rule of that kind."""

from collections.abc import Mapping
from dataclasses import replace

from judge.grading.case_ending import CaseEnding
from judge.grading.events import CaseJudged
from judge.grading.explain.evidence.facts import Facts
from judge.grading.explain.evidence.shapes import Shape
from judge.grading.languages import PYTHON, RUST
from judge.grading.reading.program_errors import ErrorKind, ProgramError
from judge.grading.verdicts import Verdict
from problems.package import ProblemLimits
from sandbox.types import Ending, IoProfile, Profile, Usage
from tests.judge.grading.explain.test_explain import case, facts

BUSY = Usage(user_time_us=1_612_345, system_time_us=23_456, wall_time_us=1_649_999)
SILENT = IoProfile(read_calls=12, read_bytes=1_234_567)
TINY = Shape(bytes=13, lines=2, words=3, largest=97)
MANY = Shape(bytes=9_345_678, lines=1_345_678, words=1_345_679)
LARGE = Shape(bytes=2_345_678, lines=345_678, words=345_679)
SMALL = Shape(bytes=1_234, lines=123, words=123, largest=54_321)
HUGE = Shape(bytes=234_567_890, lines=34_567_890, words=34_567_890)


def slow(**changes: object) -> CaseJudged:
    """A case over its time limit, stopped without a write."""
    given = {"usage": BUSY, "io": SILENT, "stdout_bytes": 0, "exit_code": None, "signal": 9, **changes}
    return case(Verdict.TLE, **given)


def story(
    source: str, told: CaseJudged | None = None, given: Shape = LARGE, profiles: Mapping[str, Profile] | None = None
) -> Facts:
    """A C++ program that was too slow on one case."""
    plain = facts(told or slow(), source=source.encode(), profiles=profiles or {})
    answer = HUGE if given is TINY else LARGE
    return replace(
        plain, input_bytes={"secret/1": given.bytes}, inputs={"secret/1": given}, answers={"secret/1": answer}
    )


STUCK = "int main() { int i = 0, n; cin >> n;\nwhile (i < n) i ^= n; }"
ENDLESS = "int main() { int i = 0, n; cin >> n;\nwhile (i < n) total += i; }"
LOW_IS_MID = "int main() { int l = 0, r = n; while (l < r) { int m = (l + r) / 2;\nif (f(m)) l = m; else r = m - 1; } }"
FAILS = "int main() { int x = 1, s = 0;\nwhile (x) { cin >> x; s += x; } }"
BACKTRACKS = 'int main() { while (cin >> s)\n if (regex_match(s, regex("(a+)*"))) n++; }'
PRINTS = "int main() { for (int i = 0; i < n; i++)\n cout << i << '\\n'; }"
READS = "int main() { for (int i = 0; i < n; i++)\n cin >> x; }"
STREAMS = "int main() { while (getline(cin, line)) {\n stringstream words(line); } }"
ERASES = "int main() { vector<int> v; while (!v.empty())\n v.erase(v.begin()); }"
COPIES = "int main() { string s; while (n--)\n s = s + x; }"
BRANCHES = "int f(int n) { return n < 2 ? n :\n f(n - 1) + f(n - 2); }\nint main() { f(50); }"
THREADS = "int main() { vector<thread> all; }"
_WRITES = IoProfile(read_calls=12, read_bytes=5, write_calls=34_567, write_bytes=234_567_890)
_NOTHING_READ = IoProfile(read_calls=345_678, read_bytes=12_345)
_READS = IoProfile(read_calls=34_567, read_bytes=234_567_890)
_STORM = Profile(syscalls={"clone": 4, "futex": 345_678, "read": 12}, streams={})
_LOCKED = Usage(user_time_us=700_123, system_time_us=900_456, wall_time_us=912_345, voluntary_switches=81_234)
_TOUCHED = Usage(user_time_us=1_300_123, system_time_us=300_456, wall_time_us=1_612_345, minor_faults=81_234)

MAPS = "int main() { map<int, int> m; for (int i = 0; i < n; i++)\n m[a[i]]++; }"
DEEP = "def f(i):\n  return f(i - 1) if i else 0\nf(n)"
_DEEP = Usage(user_time_us=900_123, system_time_us=500_456, wall_time_us=1_412_345, minor_faults=41_234)
_PIECES = Profile(syscalls={"mmap": 4_567, "read": 12}, streams={})
_FULL = {"usage": replace(BUSY, peak_memory_bytes=271_234_567, minor_faults=65_432), "exit_code": None, "signal": 11}
DEEP_IN_RUST = "fn f(i: u64) -> u64 { if i == 0 { 0 } else { 1 + f(i - 1) } }\nfn main() { f(n); }"
OVERFLOW = "int f(int i) { return i ? 1 + f(i - 1) : 0; }\nint main() { f(n); }"

OWN_TIME: dict[str, Facts] = {
    "endless": story(ENDLESS),
    "tiny": story(STUCK, given=TINY),
    "low is mid": story(LOW_IS_MID),
    "fails": story(FAILS, given=SMALL),
    "past the end": replace(story("", slow(io=_NOTHING_READ)), language=PYTHON),
    "backtracks": story(BACKTRACKS, given=SMALL),
    "prints": story(PRINTS, slow(io=_WRITES, stdout_bytes=234_567_890), given=TINY),
    "cin": story(READS, slow(io=_READS), given=HUGE),
    "streams": story(STREAMS, slow(io=_READS), given=HUGE),
    "erases": story(ERASES),
    "copies": story(COPIES),
    "branches": story(BRANCHES, given=TINY),
    "maps": story(MAPS, given=MANY),
    "deep": replace(
        story(DEEP, slow(usage=replace(_DEEP, peak_memory_bytes=123 << 20)), profiles={"secret/1": _PIECES}),
        language=PYTHON,
    ),
    "locks": story(THREADS, slow(usage=_LOCKED), profiles={"secret/1": _STORM}),
    "fresh": story("", slow(usage=replace(_TOUCHED, peak_memory_bytes=234 << 20))),
    "start": replace(
        facts(case(name="sample/1", usage=BUSY, io=SILENT), slow(exit_code=0, signal=None)),
        input_bytes={"sample/1": TINY.bytes, "secret/1": LARGE.bytes},
        inputs={"sample/1": TINY, "secret/1": LARGE},
    ),
    "unclear": story("", slow(usage=replace(BUSY, user_time_us=1_012_345, system_time_us=523_456))),
}
# a stack that is full, by the signal, by the pieces of CPython, by what Rust says, and by CPython's own stack
FULL_STACKS: dict[str, Facts] = {
    "full stack": facts(case(Verdict.MLE, **_FULL), source=OVERFLOW.encode()),
    "full of pieces": replace(
        facts(case(Verdict.MLE, **{**_FULL, "signal": 9}), source=DEEP.encode()),
        language=PYTHON,
        limits=ProblemLimits(memory_bytes=256 << 20),
        profiles={"secret/1": Profile(syscalls={"mmap": 13_456}, streams={})},
    ),
    "said": replace(
        facts(
            case(
                Verdict.RE,
                exit_code=None,
                signal=6,
                ending=CaseEnding(how=Ending.SIGNALLED, signal="SIGABRT", error=ProgramError(kind=ErrorKind.STACK)),
            ),
            source=DEEP_IN_RUST.encode(),
        ),
        language=RUST,
    ),
    "stack of CPython": replace(
        facts(case(Verdict.RE, **{**_FULL, "usage": replace(BUSY, peak_memory_bytes=51 << 20)}), source=DEEP.encode()),
        language=PYTHON,
        limits=ProblemLimits(memory_bytes=1 << 30),
    ),
}
