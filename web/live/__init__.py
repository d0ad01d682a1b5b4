"""Live pages: a stream of news each, from one look at Redis and the rows per process."""
