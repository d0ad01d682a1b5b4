"""The client address of a request, for limits per address."""

import zlib
from ipaddress import IPv4Address, IPv6Address, IPv6Network, ip_address

from django.http import HttpRequest

_PREFIX = 64  # of an IPv6 address: what one house has, and whoever has it may use all addresses in it


def client_address(request: HttpRequest) -> str | None:
    """Return the address: for IPv6 the first one of its /64, for an IPv4-mapped one the IPv4 address.

    None where there is none, as over a Unix socket. Behind a proxy it is what uvicorn took from X-Forwarded-For, of
    proxies in settings.TRUSTED_PROXIES only.
    """
    try:
        address = ip_address(str(request.META.get("REMOTE_ADDR", "")))
    except ValueError:
        return None
    plain: IPv4Address | IPv6Address = getattr(address, "ipv4_mapped", None) or address
    if isinstance(plain, IPv6Address):
        return str(IPv6Network((int(plain), _PREFIX), strict=False).network_address)
    return str(plain)


def lock_key(text: str | None) -> int:
    """Return a number for PostgreSQL's advisory locks; a few texts share one."""
    return zlib.crc32((text or "").encode()) - 2**31  # integers there have a sign
