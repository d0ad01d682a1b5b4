"""Translate TALLY_PACKAGES, the storage behind the package store, to an entry of Django's STORAGES.

Three forms: nothing (web and workers share the folder TALLY_STORE_DIR), the path of a folder that all machines mount,
and `s3://KEY:SECRET@bucket/prefix?endpoint=http://host:port&region=name`, of which only the bucket must be there. Keys
that are not in it come from AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, or from where boto3 finds them by itself.
"""

from pathlib import Path
from typing import Any
from urllib.parse import SplitResult, parse_qsl, unquote, urlsplit

from django.core.exceptions import ImproperlyConfigured

from problems.format.files import MIB
from web.settings import environment

_CONNECT_S, _READ_S = 5, 30  # then the work that wanted the package goes back into the queue
_TRIES = 2
_QUERY = {"endpoint", "region"}


@environment.gathered(lambda: None)
def package_storage() -> dict[str, Any] | None:
    """Return the storage's entry in STORAGES; None when there is none. Raises ImproperlyConfigured."""
    address = environment.secret("TALLY_PACKAGES")
    if not address:
        return None
    if address.startswith("s3://"):
        return {"BACKEND": "problems.store.storages.BucketStorage", "OPTIONS": _s3(urlsplit(address))}
    if not Path(address).is_absolute():
        raise ImproperlyConfigured("TALLY_PACKAGES must be s3://bucket or the full path of a folder")
    return {"BACKEND": "problems.store.storages.MountedStorage", "OPTIONS": {"location": address}}


def _s3(url: SplitResult) -> dict[str, Any]:
    from botocore.config import Config  # takes its time: only where it is used

    keys, _, bucket = url.netloc.rpartition("@")
    key, _, secret = keys.partition(":")
    query = dict(parse_qsl(url.query))
    if not bucket or set(query) - _QUERY or bool(key) != bool(secret):
        raise ImproperlyConfigured(
            "TALLY_PACKAGES must look like s3://bucket/prefix?endpoint=http://host:port&region=name,"
            " with KEY:SECRET@ before the bucket if the keys are not given otherwise"
        )
    endpoint = query.get("endpoint")
    return {
        "access_key": unquote(key) or environment.secret("AWS_ACCESS_KEY_ID") or None,
        "secret_key": unquote(secret) or environment.secret("AWS_SECRET_ACCESS_KEY") or None,
        "bucket_name": bucket,
        "location": url.path.strip("/"),
        "endpoint_url": endpoint,
        "region_name": query.get("region"),
        "file_overwrite": True,  # a name stands for its content: whoever comes second writes the same
        "max_memory_size": 8 * MIB,  # of a download; what is larger waits on the disk
        "client_config": Config(
            connect_timeout=_CONNECT_S,
            read_timeout=_READ_S,
            retries={"total_max_attempts": _TRIES, "mode": "standard"},
            signature_version="s3v4",
            # other servers than Amazon's have no names of hosts per bucket, and not all know its newer check sums
            s3={"addressing_style": "path" if endpoint else "auto"},
            request_checksum_calculation="when_required",
            response_checksum_validation="when_required",
        ),
    }
