"""A bucket as a storage; all threads of a process share one client.

The storage of django-storages makes a client per thread, and every request of the site runs in a thread of its own: it
would begin with the 60 ms of making one, and with a new connection. Source: boto3's guide, "Clients": threads may share
one; what is made of the resource here is made anew for each call.
"""

from functools import cached_property
from typing import Any

from storages.backends.s3 import S3Storage


class BucketStorage(S3Storage):  # type: ignore[misc]  # it has no types
    """A bucket whose threads share one client."""

    @cached_property
    def connection(self) -> Any:
        """The boto3 resource that all threads share."""
        return super().connection

    def look(self) -> None:
        """Make one cheap request. Raises boto3's error when the bucket is missing or does not answer."""
        self.connection.meta.client.list_objects_v2(Bucket=self.bucket_name, Prefix=self.location, MaxKeys=1)
