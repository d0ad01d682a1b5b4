"""Uploaded packages: received, imported, published, removed."""
