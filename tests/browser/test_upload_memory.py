"""A package of many cases costs the web process little memory. The large one: `python -m bench.upload`."""

from pathlib import Path

from bench.load.stack import Stack
from bench.upload import MOST_WEB_BYTES, measure

MIB = 1024 * 1024


def test_large_package_goes_through_a_small_web_process(site: Stack, tmp_path: Path) -> None:
    cost = measure(site.url, site.passwords["instructor"], tmp_path, cases=12, case_bytes=4 * MIB)
    assert cost.archive_bytes > 48 * MIB
    assert cost.peak_bytes < MOST_WEB_BYTES
    assert cost.peak_bytes - cost.before_bytes < cost.archive_bytes / 2
    assert cost.progress
