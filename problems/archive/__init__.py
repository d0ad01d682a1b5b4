"""Untrusted zips: read, check, unpack and stage them."""
