#!/bin/sh
# Writes what docker-compose.yml reads below secrets/, each in a file of its own; what is there already stays. The folder is for
# nobody else; the files in it can be read by all, since a container's user is not ours.
set -eu
cd "$(dirname "$0")/.."
mkdir -p -m 700 secrets

make() { # name, content
    [ -e "secrets/$1" ] || printf '%s\n' "$2" >"secrets/$1"
}
random() { od -An -N32 -tx1 /dev/urandom | tr -d ' \n'; }

for name in db_password redis_password secret_key metrics_token objects_key; do make "$name" "$(random)"; done
make database_url "postgresql://tally:$(cat secrets/db_password)@postgres/tally"
make redis_url "redis://:$(cat secrets/redis_password)@redis:6379/0"
make packages "s3://tally:$(cat secrets/objects_key)@tally?endpoint=http://objects:7070"
