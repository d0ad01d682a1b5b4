#!/bin/sh
# Process 1 of the v2 machine once its disks are there: runs the doctor and the tests, and switches the machine off.
export PATH=/data/bin:/usr/sbin:/usr/bin:/sbin:/bin PYTHONPATH=/data/site HOME=/root
export TALLY_TEST_SLOWNESS=4 # the emulation is that much slower
cd /data/tally
echo "v2 kernel $(uname -r), controllers: $(cat /sys/fs/cgroup/cgroup.controllers)"
python3 -m sandbox doctor &&
    python3 -m pytest -q --color=no -p no:cacheprovider --durations=5 $(cat /data/tests.txt) 2>&1 &&
    echo "v2 passed"
sync
echo o >/proc/sysrq-trigger
sleep 10
