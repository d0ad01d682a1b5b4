"""An S3 server of the tests' own, which can go away and come back with what it held."""

import socket
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from itertools import count
from typing import Any

import boto3
from botocore.config import Config
from botocore.loaders import JSONFileLoader

from tests.waiting import wait_for
from web.operations import services

_KEY, _SECRET = "tester", "secret"
_PATIENCE_S = 60
_numbers = count(1)
_read_once = cache(JSONFileLoader().load_file)
# Each storage that a test makes would parse a megabyte of descriptions of S3.
JSONFileLoader.load_file = lambda _loader, path: _read_once(path)


class S3Server:
    """A process that speaks S3; `address` is what TALLY_PACKAGES takes."""

    def __init__(self, host: str = "127.0.0.1") -> None:
        self._host, self._port = host, services.free_port()
        self._process = self._start()

    def new_bucket(self) -> str:
        """Make an empty bucket and return its name."""
        name = f"packages-{next(_numbers)}"
        self.client.create_bucket(Bucket=name)
        return name

    def address(self, bucket: str) -> str:
        """The bucket as a setting, with a prefix."""
        return f"s3://{_KEY}:{_SECRET}@{bucket}/tally?endpoint={self._url}"

    @property
    def client(self) -> Any:
        """To look at it, past Tally."""
        return boto3.client(
            "s3",
            endpoint_url=self._url,
            region_name="us-east-1",
            aws_access_key_id=_KEY,
            aws_secret_access_key=_SECRET,
            config=Config(retries={"total_max_attempts": 1}, connect_timeout=5, s3={"addressing_style": "path"}),
        )

    def objects(self, bucket: str) -> dict[str, bytes]:
        """All that the bucket holds."""
        found = self.client.list_objects_v2(Bucket=bucket).get("Contents", ())
        keys = [entry["Key"] for entry in found]
        return {key: self.client.get_object(Bucket=bucket, Key=key)["Body"].read() for key in keys}

    def put(self, bucket: str, key: str, content: bytes) -> None:
        """Write an object."""
        self.client.put_object(Bucket=bucket, Key=key, Body=content)

    @contextmanager
    def away(self) -> Iterator[None]:
        """Nobody listens on its port inside of the `with`."""
        buckets = [bucket["Name"] for bucket in self.client.list_buckets()["Buckets"]]
        held = {bucket: self.objects(bucket) for bucket in buckets}
        self.stop()
        try:
            yield
        finally:
            self._process = self._start()
            for bucket, objects in held.items():
                self.client.create_bucket(Bucket=bucket)
                for key, content in objects.items():
                    self.put(bucket, key, content)

    @property
    def _url(self) -> str:
        return f"http://{self._host}:{self._port}"

    def stop(self) -> None:
        """End it."""
        self._process.kill()
        self._process.wait()

    def _start(self) -> "subprocess.Popen[bytes]":
        command = [sys.executable, "-m", "moto.server", "-H", self._host, "-p", str(self._port)]
        process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        wait_for(lambda: process.poll() is not None or self._is_open(), "the S3 server starts", _PATIENCE_S)
        assert process.poll() is None, "the S3 server ended at once"
        return process

    def _is_open(self) -> bool:
        with socket.socket() as door:
            return door.connect_ex((self._host, self._port)) == 0
