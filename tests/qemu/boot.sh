#!/bin/sh
# First process of a machine under qemu: brings up its disks and network card, then goes over to the Debian on the first disk.
# The settings among the kernel's arguments (NAME=value) reach /data/init.sh as environment.
export PATH=/bin
for module in $(busybox cat /modules/order); do
    busybox insmod /modules/$module.ko
done
busybox mount -t devtmpfs none /dev
while [ ! -b /dev/vdb ]; do busybox sleep 0.1; done
busybox mount -t ext4 /dev/vda /root
busybox mount -t ext4 /dev/vdb /root/data
exec busybox switch_root /root /data/init.sh
