#!/bin/sh
# First process of the v2 machine: brings up its disks, then goes over to the Debian on the first one.
export PATH=/bin
for module in virtio_ring virtio virtio_pci_legacy_dev virtio_pci_modern_dev virtio_pci virtio_blk; do
    busybox insmod /modules/$module.ko
done
busybox mount -t devtmpfs none /dev
while [ ! -b /dev/vdb ]; do busybox sleep 0.1; done
busybox mount -t ext4 /dev/vda /root
busybox mount -t ext4 /dev/vdb /root/data
exec busybox switch_root /root /data/init.sh
