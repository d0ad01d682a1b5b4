"""The sandbox on the command line: `python -m sandbox doctor`, `... run -- CMD` and `... pair -- CMD -- CMD`.

Exit codes: 0 the machine can judge, or the program was run, whatever became of it; 1 it cannot, or the sandbox failed;
2 usage; 130 it was interrupted (Ctrl-C).
"""

import argparse
import dataclasses
import json
import shutil
import signal
import sys
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any

from sandbox.doctor.doctor import examine, why_unfit
from sandbox.entry import arguments
from sandbox.errors import CommandError, SandboxError
from sandbox.jail.nsjail import NsjailSandbox
from sandbox.jail.pair import PairOutcome, Side, run_pair
from sandbox.types import MIB, Command, Destination, Ending, Image, JailSpec, Mount, Outcome, Profile
from sandbox.workdir import fresh_folder

_INTERRUPTED = 128 + signal.SIGINT
_PROGRAM = "/program"  # where a jail shows what was copied in
_FILES = "/files"
_MOST_MEMORY = {
    Ending.MEMORY_LIMIT: "when it was stopped: the kernel's limit is higher than this one by the room for its output"
}


def _copied(sources: Sequence[Path], folder: Path) -> Path:
    folder.mkdir()
    folder.chmod(0o755)  # whatever our umask is
    for source in sources:
        shutil.copy(source, folder / source.name)
        (folder / source.name).chmod(0o755)
    return folder


@contextmanager
def _staged(words: Sequence[str], options: argparse.Namespace) -> Iterator[tuple[Command, JailSpec]]:
    """Stage a program with its jail: a host program runs in place; any other file, and the files of `--file`, are
    copied in.
    """
    program = words[0]
    path = program if "/" in program else shutil.which(program, path="/usr/bin:/bin:/usr/local/bin") or program
    mounts = []
    with fresh_folder(options.work_dir, "program-") as folder:
        if not path.startswith(("/usr/", "/bin/")) and Path(path).is_file():
            mounts.append(Mount(source=_copied([Path(path)], folder / "program"), target=_PROGRAM))
            path = f"{_PROGRAM}/{Path(path).name}"
        if options.file:
            mounts.append(Mount(source=_copied(options.file, folder / "files"), target=_FILES))
        command = Command(
            argv=(path, *words[1:]),
            files=tuple((file.name, f"{_FILES}/{file.name}") for file in options.file),
            stderr=folder / "stderr",
        )
        image = Image.TOOLS if options.tools else Image.RUN
        yield command, JailSpec(mounts=tuple(mounts), image=image, cpu=options.cpu)


def _run(options: argparse.Namespace) -> tuple[Outcome, Profile | None]:
    sandbox, limits = NsjailSandbox(options.work_dir), arguments.limits_of(options)
    with (
        fresh_folder(options.work_dir, "run-") as folder,
        _staged(options.command, options) as (staged, spec),
        sandbox.open_jail(spec) as jail,
    ):
        command = dataclasses.replace(
            staged,
            stdin=Path("/dev/stdin") if options.stdin == Path("-") else options.stdin,
            stdout=options.stdout or folder / "stdout",
            destination=Destination(options.destination),
            coalesce_output=options.coalesce,
            sample_ms=options.sample_ms,
        )
        outcome = jail.run(command, limits)
        if not options.json:
            _copy(folder / "stdout", sys.stdout)
            _copy(command.stderr, sys.stderr)
        if not options.profile:
            return outcome, None
        return outcome, jail.profile(dataclasses.replace(command, stdout=None, stderr=None), limits)[1]


def _run_pair(options: argparse.Namespace, programs: Sequence[Sequence[str]]) -> PairOutcome:
    sandbox, limits = NsjailSandbox(options.work_dir), arguments.limits_of(options)
    with ExitStack() as stack:
        sides = []
        for words in programs:
            command, spec = stack.enter_context(_staged(words, options))
            jail = stack.enter_context(sandbox.open_jail(spec))
            sides.append(Side(jail=jail, command=command, limits=limits))
        pair = run_pair(*sides, is_profiled=options.profile)
        for side in () if options.json else sides:
            _copy(side.command.stderr, sys.stderr)
        return pair


def _copy(source: Path | None, target: Any) -> None:
    if source and source.exists():
        with source.open("rb") as file:
            shutil.copyfileobj(file, target.buffer)
        target.flush()


def _show(options: argparse.Namespace, values: dict[str, Any], lines: list[str]) -> None:
    if options.json:
        print(json.dumps(values, indent=2), flush=True)
    else:
        print("\n".join(lines), file=sys.stderr)


def _doctor(options: argparse.Namespace) -> int:
    checks = examine(options.work_dir)
    if options.json:
        print(json.dumps([dataclasses.asdict(check) for check in checks], indent=2))
    for check in [] if options.json else checks:
        sign = "ok     " if check.ok else "FAILED " if check.needed else "missing"
        print(f"{sign}  {check.name}: {check.detail}{'' if check.ok else f' -> {check.remedy}'}")
    sys.stdout.flush()
    return 1 if why_unfit(checks) else 0


def as_json(outcome: Outcome, profile: Profile | None = None) -> dict[str, Any]:
    """Return the outcome as JSON values; the keys are the fields of sandbox.types, with `profile`, possibly None."""
    values = dataclasses.asdict(outcome)
    values["ending"], values["detail"] = outcome.ending.value, outcome.detail
    values["usage"]["cpu_time_us"] = outcome.usage.cpu_time_us
    values["profile"] = dataclasses.asdict(profile) if profile else None
    return values


def pair_as_json(pair: PairOutcome) -> dict[str, Any]:
    """Return the fields of sandbox.jail.pair.PairOutcome; the program has the profile."""
    return {
        "program": as_json(pair.program, pair.profile),
        "interactor": as_json(pair.interactor),
        "interactor_ended_first": pair.interactor_ended_first,
        "program_left_early": pair.program_left_early,
    }


def lines(outcome: Outcome, profile: Profile | None = None) -> list[str]:
    """Return lines for people: the ending, the usage, then the calls by name, most frequent first."""
    usage, io = outcome.usage, outcome.io
    rows = [
        f"{outcome.ending.value} {outcome.detail}".strip(),
        f"CPU time   {usage.cpu_time_us / 1e6:.3f} s (user {usage.user_time_us / 1e6:.3f}, "
        f"system {usage.system_time_us / 1e6:.3f}), wall {usage.wall_time_us / 1e6:.3f} s",
        f"memory     {usage.peak_memory_bytes / MIB:.1f} MiB {_MOST_MEMORY.get(outcome.ending, 'at most')}",
        f"reads      {io.read_calls:,} calls, {io.read_bytes:,} bytes",
        f"writes     {io.write_calls:,} calls, {io.write_bytes:,} bytes",
        f"switches   {usage.voluntary_switches:,} voluntary, {usage.involuntary_switches:,} involuntary",
    ]
    watch = outcome.watch
    for us, words in (
        (watch.gap_us, "s not counted, because its watcher stood still"),
        (watch.stopped_us, "s in which the program was stopped"),
        (watch.suspended_us, "s in which the machine was suspended"),
        (watch.host_gap_us, "s in which the host process stood still"),
    ):
        rows += [f"disturbed  {us / 1e6:.3f} {words}"] if us else []
    if profile is not None:
        uses = [(name, use) for name, use in profile.streams.items() if use.calls]
        rows += [f"{name:<10} {use.calls:,} calls, {use.bytes:,} bytes" for name, use in uses]
        calls = sorted(profile.syscalls.items(), key=lambda item: -item[1])
        rows += [f"{count:>12,}  {name}" for name, count in calls]
    return rows


def pair_lines(pair: PairOutcome) -> list[str]:
    """Return lines for both sides, and which ended first."""
    return [
        f"{'interactor' if pair.interactor_ended_first else 'program'} ended first",
        *(f"program    {line}" for line in lines(pair.program, pair.profile)),
        *(f"interactor {line}" for line in lines(pair.interactor)),
    ]


def main(words: list[str] | None = None) -> int:
    """Carry out one command line and return its exit code."""
    options = arguments.parse(words)
    try:
        if options.verb == "doctor":
            return _doctor(options)
        if options.verb == "pair":
            pair = _run_pair(options, arguments.split(options.command))
            _show(options, pair_as_json(pair), pair_lines(pair))
        else:
            outcome, profile = _run(options)
            _show(options, as_json(outcome, profile), lines(outcome, profile))
        return 0
    except KeyboardInterrupt:
        print("sandbox: it was interrupted (SIGINT)", file=sys.stderr)
        return _INTERRUPTED
    except (SandboxError, OSError) as error:  # of our own output too
        program = Path(str(error).partition(" cannot be started: ")[0])
        is_hidden = isinstance(error, CommandError) and not options.tools and program.is_file()
        hint = "; a jail shows only runtimes, or all of /usr with --tools" if is_hidden else ""
        print(f"sandbox: {error}{hint}", file=sys.stderr)
        if isinstance(error, OSError):
            sys.stdout = None  # or the end of Python tries once more to write, and fails with words of its own
        return 1
