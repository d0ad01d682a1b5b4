"""Locks on open files (flock(2)): the kernel lets go of them when whoever holds one is gone."""

import fcntl


def try_lock(descriptor: int) -> bool:
    """Take the file's lock for oneself alone, if nobody holds it; whether it was taken."""
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True
