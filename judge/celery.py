"""The Celery application, which notifies workers of rows.

Messages carry ids only. They are acknowledged early and may be lost or delivered twice: the rows know what is to do,
`judge.workers.reaper` sends another, and a claim lets one through. `judge.queue.transport` drops other messages.
"""

import os
import re
import socket

from celery import Celery
from django.conf import settings
from kombu.transport import TRANSPORT_ALIASES

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "web.settings")

HEARTBEAT = "judge.heartbeat"
QUEUE = "grading"

# Redis's host is taken as gone 15 s after its last word, whether a worker waits for it or sends: the waits of
# web.server.db_pool. By the kernel's own defaults a worker would listen to a cut connection for two hours.
_KEEPALIVE = {socket.TCP_KEEPIDLE: 5, socket.TCP_KEEPINTVL: 3, socket.TCP_KEEPCNT: 3, socket.TCP_USER_TIMEOUT: 10_000}

# By name, as kombu knows its transports: the scheme of an address, also of redis+socket://, leads to ours.
TRANSPORT_ALIASES.update(dict.fromkeys(("redis", "rediss"), "judge.queue.transport:Transport"))

app = Celery("tally", fixups=[])  # Celery's for Django closes the database connection around each task
app.conf.update(
    broker_url=re.sub("^unix://", "redis+socket://", settings.REDIS_URL),  # kombu's name of redis-py's unix://PATH
    broker_connection_retry_on_startup=True,
    broker_connection_max_retries=None,
    broker_transport_options={
        "socket_connect_timeout": 5,
        "socket_timeout": 10,
        "socket_keepalive": True,
        "socket_keepalive_options": _KEEPALIVE,
        "health_check_interval": 10,
        "visibility_timeout": 3600,
    },
    task_serializer="json",
    accept_content=["json"],
    task_ignore_result=True,
    task_acks_late=False,
    task_default_queue=QUEUE,
    task_create_missing_queues=True,
    worker_direct=True,  # a queue per worker: the heartbeat proves that this very worker still hears its broker
    worker_prefetch_multiplier=1,
    worker_enable_remote_control=False,
    worker_send_task_events=False,
    worker_hijack_root_logger=False,
    imports=["judge.workers.tasks"],
)
