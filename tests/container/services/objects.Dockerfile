# A stand-in for versity/versitygw: moto's S3 server, as much of it as setup/objects.yml uses. Its bucket is in memory.
FROM tally
RUN apt-get update -qq && apt-get install -qq -y --no-install-recommends netcat-openbsd >/dev/null
COPY requirements-dev.lock ./
RUN .venv/bin/python -m pip install --quiet --require-hashes -r requirements.lock -r requirements-dev.lock
COPY tests/container/services/versitygw /usr/local/bin/
