#!/usr/bin/env bash
# In the machine with Docker: `inside.sh GROUPS build` makes the images, `inside.sh GROUPS try` uses them. See run.sh.
set -euo pipefail
groups=$1
with_objects="docker compose --file docker-compose.yml --file setup/objects.yml"
# The control groups are the host's, and stay when a container ends.
forget_groups="
from pathlib import Path
from sandbox.cgroups.cgroup import ControlGroups
ControlGroups(Path('/var/lib/tally/work')).close()"

die() {
    echo "container: $*" >&2
    exit 1
}

start_docker() { # dockerd's options
    dockerd --cgroup-parent "/$groups" "$@" >/tmp/dockerd.log 2>&1 &
    for _ in $(seq 120); do
        docker info >/dev/null 2>&1 && break
        sleep 0.5
    done
    # also takes away what a trial left that was stopped half-way
    docker rm --force elsewhere >/dev/null 2>&1
    docker compose down --volumes --timeout 1 >/dev/null 2>&1 && return
    tail -n 20 /tmp/dockerd.log >&2
    die "Docker does not start"
}

build() { # the arguments of docker build
    DOCKER_BUILDKIT=0 docker build --network host "$@" >/tmp/build.log 2>&1 && return
    tail -n 30 /tmp/build.log >&2
    die "cannot build: $*"
}

build_images() {
    start_docker --bridge none --iptables=false
    if ! docker image inspect debian:trixie-slim >/dev/null 2>&1; then
        tar -C /base -c . | docker import --change 'CMD ["bash"]' \
            --change 'ENV NODE_EXTRA_CA_CERTS=/etc/ssl/certs/ca-certificates.crt' - debian:trixie-slim >/dev/null
    fi
    echo "container: building Tally's image"
    build --tag tally .
    echo "container: building stand-ins for postgres:18, redis:7 and versity/versitygw:v1.7.0"
    build --tag postgres:18 --target postgres tests/container/services
    build --tag redis:7 --target redis tests/container/services
    build --tag versity/versitygw:v1.7.0 --file tests/container/services/objects.Dockerfile .
    docker image prune --force >/dev/null
}

# The doctor with the worker's options less one, and what it must say then.
expect() { # sentence, options
    local sentence=$1
    shift
    docker run --rm --network none "$@" tally \
        sh -c "python -m sandbox doctor; code=\$?; python -c \"$forget_groups\" 2>/dev/null; exit \$code" >/tmp/said 2>&1 &&
        die "no failure with: $*"
    grep -qF -- "$sentence" /tmp/said || {
        cat /tmp/said
        die "the doctor does not say: $sentence"
    }
    echo "container: the doctor without it: $(grep -m1 ^FAILED /tmp/said | sed 's/.*-> //')"
}

show_that_options_are_needed() {
    local least="--cap-drop ALL --cap-add SETUID --cap-add SETGID --cap-add CHOWN --cap-add DAC_OVERRIDE"
    local groups="--cgroupns host --volume /sys/fs/cgroup:/sys/fs/cgroup"
    local filter="--security-opt seccomp=sandbox/seccomp.json" paths="--security-opt systempaths=unconfined"
    local memory="--tmpfs /dev/shm:rw,nosuid,nodev,exec,size=1g,mode=1777"
    # shellcheck disable=SC2086 - lists of words
    {
        expect "--cap-add SETUID" --cap-drop ALL $groups $filter $paths $memory
        expect "mount the host's /sys/fs/cgroup writable" $least $filter $paths $memory
        expect "$memory" $least $groups $filter $paths
        expect "--security-opt seccomp=sandbox/seccomp.json" $least $groups $paths $memory
        expect "pivot_root is refused" $least --cap-add SYS_ADMIN $groups $paths $memory
        expect "--security-opt systempaths=unconfined" $least $groups $filter $memory
    }
}

in_site() { # a file of this folder, its arguments
    docker compose exec -T -e "ARGUMENTS=${*:2}" web python manage.py shell --no-imports <"tests/container/$1"
}

wait_for_workers() { # how many
    in_site wait_for_workers.py "$1" && return
    docker compose ps --all >&2
    docker compose logs --tail 30 >&2
    die "no $1 workers take work"
}

start() { # what starts it all
    "$@" >/tmp/up.log 2>&1 && return
    tail -n 30 /tmp/up.log >&2
    die "does not come up: $*"
}

# Workers and then the site are stopped and started while submissions wait and are judged.
restart_one_by_one() {
    in_site submit_many.py
    for container in $(docker compose ps --quiet worker) $(docker compose ps --quiet web); do
        docker restart --time 60 "$container" >/dev/null
    done
    for _ in $(seq 60); do
        [ "$(docker inspect --format '{{.State.Health.Status}}' "$(docker compose ps --quiet web)")" = healthy ] && break
        sleep 1
    done
    in_site wait_for_many.py
}

# As a proxy with TLS on this machine, which the container sees as the gateway of its network.
sign_in_through_a_proxy() {
    local token=aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa said
    said=$(curl --silent --show-error --output /dev/null --write-out '%{http_code}' \
        --header "Host: $TALLY_ALLOWED_HOSTS" --header "Origin: https://$TALLY_ALLOWED_HOSTS" \
        --header "X-Forwarded-Proto: https" --header "X-Forwarded-For: 198.51.100.7" \
        --cookie "csrftoken=$token" --data "csrfmiddlewaretoken=$token&username=nobody&password=wrong" \
        http://127.0.0.1:8000/login/)
    [ "$said" = 200 ] || die "a form that comes through a proxy is answered: $said"
    echo "container: a form over TLS is taken from a proxy"
}

# A worker that shares no folder with the site: it has three addresses and nothing else.
judge_from_elsewhere() {
    docker compose stop worker >/dev/null 2>&1
    start $with_objects up --detach --no-build --quiet-pull --wait prepare objects web
    start $with_objects run --detach --rm --no-deps --name elsewhere --env TALLY_STORE_DIR=/srv/store worker
    wait_for_workers 1
    in_site submit.py
    docker exec elsewhere sh -c 'ls /srv/store | grep -q "^[0-9a-f]\{64\}$"' || die "the worker has fetched no package"
    docker stop --time 60 elsewhere >/dev/null
}

try() {
    ip link set lo up
    start_docker
    echo "container: the doctor with the options of docker-compose.yml"
    docker compose run --rm --no-deps -T worker python -m sandbox doctor >/tmp/said 2>/tmp/noise || {
        cat /tmp/noise /tmp/said
        die "the doctor finds this worker unfit"
    }
    cat /tmp/said
    grep -q "^ok .*system calls by name" /tmp/said || die "the kernel meter does not work"
    show_that_options_are_needed
    echo "container: everything up"
    export TALLY_ALLOWED_HOSTS=judge.example.org
    start docker compose up --detach --no-build --quiet-pull --scale worker=2
    wait_for_workers 2
    docker compose exec -T web grep -q '^CapEff:.0*$' /proc/self/status || die "the site has capabilities"
    in_site submit.py
    echo "container: everything restarted, one by one"
    restart_one_by_one
    sign_in_through_a_proxy
    echo "container: packages in an object store, a worker with nothing but three addresses"
    judge_from_elsewhere
    docker compose run --rm --no-deps -T worker python -c "$forget_groups" 2>/dev/null
    $with_objects down --volumes >/dev/null 2>&1
}

case $2 in
    build) build_images ;;
    try) try ;;
esac
