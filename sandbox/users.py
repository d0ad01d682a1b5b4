"""The outside users of a jail's root and its program: used by nobody else, and two of its own for each open jail.

For the kernel counts per user, over all namespaces, what pages lie in pipes, how many descriptors are in flight and how
much is watched. If two jails were one user, a submission could take that from another, and tell it something.
"""

import secrets
from dataclasses import dataclass

FIRST = 1_900_000_000
COUNT = 65_536  # two for each jail; that two of a handful of open jails draw the same is one case in thousands


@dataclass(frozen=True, kw_only=True, slots=True)
class JailUsers:
    """User and group ids outside the jail."""

    init: int  # root inside
    program: int

    @staticmethod
    def draw() -> "JailUsers":
        """Return two ids that hardly any other open jail has."""
        init = FIRST + 2 * secrets.randbelow(COUNT // 2)
        return JailUsers(init=init, program=init + 1)
