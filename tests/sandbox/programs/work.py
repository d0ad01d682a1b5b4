"""As work.c, in the ways of Python."""

import mmap
import os
import signal
import sys
import threading
import time
from pathlib import Path

HOARD = 1 << 30


def say(what: str, times: int) -> None:
    for number in range(times):
        print(what, number, flush=True)


def work_in_thread() -> None:
    say("thread", 100)
    time.sleep(0.02)


def children(lingers: bool) -> None:
    signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGCHLD})  # under strace it interrupts a read all the same
    reading, writing = os.pipe()
    if os.fork() == 0:
        say("child", 40)
        os._exit(0)
    os.wait()
    if os.fork() == 0:
        say("orphan", 30)
        os._exit(0)
    if os.fork() == 0:
        if os.fork() == 0:
            os.setpgid(0, 0)
            say("grandchild", 20)
            os.close(writing)
            if lingers:
                time.sleep(3600)
        os._exit(0)
    os.close(writing)
    os.read(reading, 1)


def main(ending: str, last_child: str, count: str = "0") -> None:
    hoard = mmap.mmap(-1, HOARD, mmap.MAP_PRIVATE)
    print(sum(int(line) for line in sys.stdin), flush=True)
    for number in range(20_000):
        print(number)
    sys.stdout.flush()
    scratch = Path("scratch")
    scratch.write_text("x" * 30_000)
    print(len(scratch.read_text()), "characters", file=sys.stderr)
    for _ in range(2):
        thread = threading.Thread(target=work_in_thread)
        thread.start()
        thread.join()
        time.sleep(0.01)  # join returns before the thread has given its stack back
    children(last_child == "lingers")
    written = 0
    while written < int(count) or ending == "flood":
        written += os.write(1, b"x")
    while ending == "spin":
        pass
    if ending == "sleep":
        time.sleep(3600)
    page = 0
    while ending == "hoard":
        hoard[page % HOARD] = 1
        page += mmap.PAGESIZE
    os._exit(0)


main(*sys.argv[1:])
