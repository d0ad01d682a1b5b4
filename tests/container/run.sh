#!/usr/bin/env bash
# docker-compose.yml for real: builds the image, runs the doctor with exactly the worker's options, shows that each of them
# is needed, then starts everything with two workers, has programs
# judged, restarts it under load, and has packages kept in an object store. Nothing of Docker need be here: a small Debian 13 with it
# is made in var/container (6 GB, five minutes at first) and run in namespaces of its own, so that nothing outlives it; images
# are made from Debian's packages. Needs root and debootstrap; `make test-container` calls it.
set -euo pipefail
cd "$(dirname "$0")/../.."
export REPOSITORY=$PWD WORK=$PWD/var/container
groups=tally-container-$$
mkdir -p "$WORK/docker"
own_secrets=
[ -e secrets ] || own_secrets=yes
setup/secrets.sh

command -v debootstrap >/dev/null || apt-get install -y -qq --no-install-recommends debootstrap >/dev/null

if [ ! -e "$WORK/base/done" ]; then
    echo "container: making a base image"
    rm -rf "$WORK/base"
    debootstrap --variant=minbase --include=ca-certificates trixie "$WORK/base" >"$WORK/debootstrap.log"
    # what this machine trusts, its packages' registries may need
    cp /usr/local/share/ca-certificates/*.crt "$WORK/base/usr/local/share/ca-certificates/" 2>/dev/null || true
    chroot "$WORK/base" update-ca-certificates >/dev/null 2>&1
    rm -rf "$WORK"/base/var/cache/apt/archives/*.deb
    touch "$WORK/base/done"
fi
if [ ! -e "$WORK/machine/done" ]; then
    echo "container: making a machine with Docker"
    rm -rf "$WORK/machine"
    cp -a "$WORK/base" "$WORK/machine"
    rm "$WORK/machine/done"
    cp /etc/resolv.conf "$WORK/machine/etc/resolv.conf"
    chroot "$WORK/machine" apt-get update -qq
    DEBIAN_FRONTEND=noninteractive chroot "$WORK/machine" apt-get install -qq -y --no-install-recommends \
        docker.io docker-cli docker-compose iptables iproute2 curl >"$WORK/apt.log" 2>&1
    touch "$WORK/machine/done"
fi

# Runs inside.sh in the machine, in namespaces that end with it: a fresh /run and network too, unless it has to build.
in_machine() { # unshare's options, then inside.sh's arguments
    timeout --kill-after=2 1500 unshare --mount --pid --fork --kill-child $1 tests/container/machine.sh \
        /repository/tests/container/inside.sh "$groups" "${@:2}" &
    machine=$!
    wait "$machine"
    machine=
}
machine=
leave_nothing() {
    [ -z "$machine" ] || { kill "$machine" && wait "$machine"; } 2>/dev/null || true
    find /sys/fs/cgroup -depth -type d -path "*/$groups*" -exec rmdir {} + 2>/dev/null || true
    [ -z "$own_secrets" ] || rm -rf secrets
}
trap leave_nothing EXIT
trap 'exit 130' INT TERM

in_machine "" build
in_machine --net try
echo "container passed"
