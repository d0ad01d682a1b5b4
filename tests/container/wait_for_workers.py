# For `manage.py shell`: waits until so many workers take work.
import os
import sys
import time

from judge.models import WorkerNode

wanted = int(os.environ["ARGUMENTS"])
deadline = time.monotonic() + 180
while (there := WorkerNode.objects.alive().count()) < wanted:
    if time.monotonic() > deadline:
        sys.exit(1)
    time.sleep(1)
for node in WorkerNode.objects.alive():
    print(f"container: {node.name} takes work: {', '.join(node.languages)}")
