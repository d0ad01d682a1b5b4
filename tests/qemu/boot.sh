#!/bin/sh
# First process of a machine under qemu: brings up its disks, network card and the file systems of the kernel, then goes over to
# the Debian on the first disk, where /data/init.sh is process 1. The settings among the kernel's arguments (NAME=value) reach it
# as environment.
export PATH=/bin
for module in $(busybox cat /modules/order); do
    busybox insmod /modules/$module.ko
done
busybox mount -t devtmpfs none /dev
while [ ! -b /dev/vdb ]; do busybox sleep 0.1; done
busybox mount -t ext4 /dev/vda /root
busybox mount -t ext4 /dev/vdb /root/data
busybox mount -t proc none /root/proc
busybox mount -t sysfs none /root/sys
busybox mount -t devtmpfs none /root/dev
busybox mkdir -p /root/dev/pts /root/dev/shm
busybox ln -sf /proc/self/fd /root/dev/fd
busybox mount -t devpts none /root/dev/pts
for folder in /dev/shm /run /tmp; do
    busybox mount -t tmpfs none /root$folder
done
busybox mount -t cgroup2 -o nsdelegate none /root/sys/fs/cgroup
exec busybox switch_root /root /data/init.sh
