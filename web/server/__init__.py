"""Around Django: limits, streaming, the database pool, the request log."""
