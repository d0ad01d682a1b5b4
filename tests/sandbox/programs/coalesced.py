"""Small writes from Python; the argument names the way."""

import logging
import os
import subprocess
import sys
import time


def flushed() -> None:
    for number in range(3000):
        print(number, flush=True)


def errors() -> None:
    for number in range(3000):
        print("at", number, file=sys.stderr)
        sys.stderr.write(f"line {number}\n")
        os.write(2, b"raw\n")
    print("done")


def raising_after_errors() -> None:
    errors()
    logging.warning("by the logger")
    raise ValueError("on purpose")


def raw() -> None:
    with open(1, "wb", buffering=0, closefd=False) as out:
        for number in range(3000):
            out.write(b"%d\n" % number)


def by_descriptor() -> None:
    for number in range(3000):
        os.write(1, b"%d\n" % number)
        os.writev(1, [b"vector ", b"of two\n"])


def forked() -> None:
    flushed()
    if os.fork() == 0:
        flushed()
        os._exit(0)
    os.wait()
    flushed()


def with_programs() -> None:
    flushed()
    subprocess.run(["/bin/echo", "from a program"], check=True)
    flushed()
    print(os.environ.get("LD_PRELOAD"), flush=True)


def raising() -> None:
    flushed()
    raise ValueError("on purpose")


def killed_by_itself() -> None:
    flushed()
    os.abort()


def endless() -> None:
    while True:
        print("again", flush=True)
        time.sleep(0.001)


if __name__ == "__main__":
    globals()[sys.argv[1]]()
