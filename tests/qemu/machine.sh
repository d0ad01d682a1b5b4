# Sourced by tests/v2/run.sh and tests/fleet/run.sh, with `name` set: the parts of a machine under qemu (software emulation, no
# KVM), with a stock Debian cloud kernel and a small Debian. All lies in var/qemu and is made once.
#
# How it works: the Debian lies in var/qemu/root and as disk image in root.ext4; what a machine writes there is thrown away. A
# second image, NAME.ext4, holds what that machine is for, with init.sh. A tiny first file system, first.gz, loads the drivers
# of disks and network card (boot.sh); then init.sh is process 1.
work=$PWD/var/qemu
root=$work/root
drivers="virtio_ring virtio virtio_pci_legacy_dev virtio_pci_modern_dev virtio_pci virtio_blk failover net_failover virtio_net"

say() { echo "$name: $*"; }

# One at a time: two machines may be prepared side by side.
make_machine() {
    mkdir -p "$work"
    exec 9>"$work/lock"
    flock 9
    install_tools
    unpack_kernel
    make_root
    pack_first_file_system
    exec 9>&-
}

# Not in setup/packages: `make test` needs no second machine.
install_tools() {
    command -v qemu-system-x86_64 debootstrap cpio >/dev/null ||
        apt-get install -y -qq --no-install-recommends qemu-system-x86 debootstrap cpio >/dev/null
}

unpack_kernel() {
    [ -e "$work/vmlinuz" ] && return
    say "unpacking a cloud kernel"
    local package
    package=$(apt-cache depends linux-image-cloud-amd64 | awk '/Depends: linux-image/ {print $2; exit}')
    (cd "$work" && apt-get download -qq "$package" && dpkg-deb -x "$package"_*.deb kernel && rm "$package"_*.deb)
    cp "$work"/kernel/boot/vmlinuz-* "$work/vmlinuz"
}

make_root() {
    [ -e "$work/root.ext4" ] && return
    say "making a root file system"
    rm -rf "$root"
    debootstrap --variant=minbase --include=python3,libbpf1,strace,g++,busybox-static bookworm "$root" >"$work/debootstrap.log"
    rm -rf "$root"/var/cache/apt "$root"/var/lib/apt/lists "$root"/usr/share/{doc,man,locale}
    mkdir -p "$root/data"
    image root.ext4 "$root" 3G
}

image() { # name, folder, size, and `has_journal` if it outlives a power cut
    rm -f "$work/$1"
    mke2fs -q -t ext4 -O "${4:-^has_journal}" -d "$2" "$work/$1.new" "$3" >/dev/null
    mv "$work/$1.new" "$work/$1"
}

pack_first_file_system() {
    local first=$work/first driver
    rm -rf "$first"
    mkdir -p "$first/bin" "$first/modules" "$first/dev" "$first/root"
    cp "$root/bin/busybox" "$first/bin/"
    ln -s busybox "$first/bin/sh"
    for driver in $drivers; do
        find "$work/kernel/lib/modules" -name "$driver.ko" -exec cp {} "$first/modules/" \;
    done
    echo "$drivers" >"$first/modules/order"
    install -m 755 tests/qemu/boot.sh "$first/init"
    (cd "$first" && find . | cpio --quiet -o -H newc | gzip -1) >"$work/first.gz"
}
