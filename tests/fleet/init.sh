#!/bin/sh
# Process 1 of the fleet's second machine once its disks are there: joins the network and starts the worker, again whenever it
# ends. The worker has the settings among the kernel's arguments and no others. Lines that come in at the console are carried out.
export PATH=/usr/sbin:/usr/bin:/sbin:/bin HOME=/root
mkdir -p /data/lib /var/lib/tally
mount --bind /data/lib /var/lib/tally # on the disk that stays
hostname second
busybox ip link set lo up
busybox ip address add "$ADDRESS/24" dev eth0
busybox ip link set eth0 up
echo "second machine: kernel $(uname -r), role $TALLY_WORKER_ROLE, $(date -u +%H:%M)"
(
    while :; do
        env -i PATH=$PATH HOME=$HOME PYTHONPATH=/data/site DATABASE_URL="$DATABASE_URL" REDIS_URL="$REDIS_URL" \
            TALLY_PACKAGES="$TALLY_PACKAGES" TALLY_WORKER_ROLE="$TALLY_WORKER_ROLE" \
            python3 /data/tally/manage.py worker
        sleep 1
    done
) </dev/null &
stty -echo # the worker's log would split an echoed command, whose parts look like answers
while read -r command; do
    eval "$command"
done
