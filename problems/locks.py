"""Locks on open files (flock(2)): the kernel releases them when their holder dies."""

import fcntl


def try_lock(descriptor: int) -> bool:
    """Take the file's exclusive lock if it is free; return whether it was taken."""
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True
