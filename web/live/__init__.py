"""Live pages: one stream of news each, from one Redis connection and one database query per channel and process."""
