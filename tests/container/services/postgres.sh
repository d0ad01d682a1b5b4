#!/bin/sh
# Makes the database at first and serves it.
set -eu
data=/var/lib/postgresql/data
if [ ! -d "$data" ]; then
    install -d -o postgres "$data"
    cat "$POSTGRES_PASSWORD_FILE" >/tmp/password
    as_postgres="setpriv --reuid postgres --regid postgres --init-groups"
    $as_postgres initdb -D "$data" -U "$POSTGRES_USER" --pwfile /tmp/password --auth-host scram-sha-256 ${POSTGRES_INITDB_ARGS-} >/dev/null
    echo "host all all all scram-sha-256" >>"$data/pg_hba.conf"
    echo "CREATE DATABASE \"$POSTGRES_DB\"" | $as_postgres postgres --single -D "$data" postgres >/dev/null
fi
install -d -o postgres /var/run/postgresql
exec setpriv --reuid postgres --regid postgres --init-groups "$@" -D "$data" -c listen_addresses='*'
