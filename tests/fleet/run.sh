#!/usr/bin/env bash
# A fleet of two machines: this one, and a Debian under qemu (tests/qemu/machine.sh) as a worker. Makes the second machine's disk,
# then runs tests/fleet/fleet.py in a network of its own, so nothing leaves this machine. Needs root and 3 GB of disk in var/qemu;
# `make test-fleet` calls it.
set -euo pipefail
cd "$(dirname "$0")/../.."
name=fleet
. tests/qemu/machine.sh

# Tally's Python packages, for that Debian's Python; made once.
make_site() {
    site=$work/site-$(sha256sum requirements.lock | cut -c1-16)
    [ -e "$site" ] && return
    say "installing Python packages"
    rm -rf "$work"/site-*
    .venv/bin/python -m pip install --quiet --target "$site.new" --python-version 3.11 --only-binary=:all: --require-hashes \
        -r requirements.lock
    mv "$site.new" "$site"
}

pack() {
    say "packing"
    local data=$work/fleet
    rm -rf "$data"
    mkdir -p "$data/tally"
    cp -a manage.py sandbox problems judge web "$data/tally/"
    rm -rf "$data/tally/web/collected"
    cp -a tests/fleet/init.sh "$data/init.sh"
    cp -al "$site" "$data/site"
    image fleet.ext4 "$data" 2G has_journal
    rm -rf "$data"
}

make_machine
make_site
pack
exec unshare --net .venv/bin/python -m pytest -x -q -s tests/fleet/fleet.py
