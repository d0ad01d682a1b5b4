"""A bucket as a storage, which all threads of a process ask through one client.

The storage of django-storages makes a client per thread, and every request of the site runs in a thread of its own: it
would begin with the 60 ms of making one, and with a new connection. Source: boto3's guide, "Clients": threads may share
one; what is made of the resource here is made anew for each call.
"""

from functools import cached_property
from typing import Any

from storages.backends.s3 import S3Storage


class BucketStorage(S3Storage):  # type: ignore[misc]  # it has no types
    """See the module."""

    @cached_property
    def connection(self) -> Any:
        """The resource of all threads."""
        return super().connection

    def look(self) -> None:
        """One cheap request. Raises what boto3 raises when the bucket is not there or does not answer."""
        self.connection.meta.client.list_objects_v2(Bucket=self.bucket_name, Prefix=self.location, MaxKeys=1)
