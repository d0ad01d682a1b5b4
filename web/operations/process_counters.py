"""Counters of a web process, added up over all processes of a site.

How it works: `web.server.serving` starts them with an empty folder in PROMETHEUS_MULTIPROC_DIR. There prometheus_client
keeps the numbers of each process in files of its own, so whichever is asked adds up those of all. What a process
counted that has ended stays counted. Without the folder (tests, another server) a process tells of itself alone.
"""

from pathlib import Path

from django.conf import settings
from prometheus_client import CollectorRegistry, Counter, Gauge, Histogram, generate_latest
from prometheus_client.multiprocess import MultiProcessCollector

_OWN = CollectorRegistry()
REQUESTS = Counter("tally_http_requests", "Requests answered.", ("page", "method", "status"), registry=_OWN)
_BUCKETS_S = (0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0)
SECONDS = Histogram(
    "tally_http_request_seconds", "Time until an answer begins.", ("page",), buckets=_BUCKETS_S, registry=_OWN
)
STREAMS = Gauge("tally_streams_open", "Live pages that are open.", registry=_OWN, multiprocess_mode="livesum")


def told() -> bytes:
    """Return all counters in the text format of Prometheus."""
    if not settings.COUNTS_DIR:
        return generate_latest(_OWN)
    for file in Path(settings.COUNTS_DIR).glob("gauge_livesum_*.db"):  # open pages, some of dead processes
        if not Path("/proc", file.stem.rpartition("_")[2]).exists():
            file.unlink(missing_ok=True)
    everybody = CollectorRegistry()
    MultiProcessCollector(everybody, settings.COUNTS_DIR)  # type: ignore[no-untyped-call]
    return generate_latest(everybody)
