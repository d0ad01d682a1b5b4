#!/bin/sh
# Process 1 of the v2 machine once its disks are there: runs the doctor and the tests, and switches the machine off.
mount -t proc none /proc
mount -t sysfs none /sys
mount -t devtmpfs none /dev
mkdir -p /dev/pts /dev/shm
ln -s /proc/self/fd /dev/fd
mount -t devpts none /dev/pts
mount -t tmpfs none /dev/shm
mount -t tmpfs none /run
mount -t tmpfs none /tmp
mount -t cgroup2 -o nsdelegate none /sys/fs/cgroup
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
