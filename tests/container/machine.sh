#!/usr/bin/env bash
# Makes $WORK/machine the root folder of this mount namespace and executes a command there.
set -euo pipefail
root=$WORK/machine
mount --rbind "$root" "$root"
mount --rbind /sys "$root/sys"
mount --rbind /dev "$root/dev"
mount -t proc proc "$root/proc"
mount -t tmpfs none "$root/run"
mount -t tmpfs none "$root/tmp"
mkdir -p "$root/repository" "$root/base" "$root/var/lib/docker" "$root/old"
mount --bind "$REPOSITORY" "$root/repository"
mount -o remount,bind,ro "$root/repository"
mount --bind "$WORK/base" "$root/base"
mount --bind "$WORK/docker" "$root/var/lib/docker"
cd "$root"
pivot_root . old
umount --lazy /old
cd /repository
exec env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin HOME=/root "$@"
