# One image for the site and the workers; docker-compose.yml says who does what.
FROM debian:trixie-slim

RUN apt-get update -qq \
    && DEBIAN_FRONTEND=noninteractive apt-get install -qq -y --no-install-recommends ca-certificates make >/dev/null

WORKDIR /opt/tally
# What changes seldom comes first, so that a new version of Tally builds in seconds.
COPY setup setup
RUN setup/install.sh run
COPY Makefile requirements.lock ./
RUN make --no-print-directory .venv/run.stamp
COPY package.json package-lock.json ./
RUN make --no-print-directory node_modules/run.stamp
COPY . .
RUN make --no-print-directory setup

ENV TALLY_VAR_DIR=/var/lib/tally/var TALLY_HOST=0.0.0.0 PATH=/opt/tally/.venv/bin:$PATH
EXPOSE 8000
CMD ["python", "manage.py", "serve"]
