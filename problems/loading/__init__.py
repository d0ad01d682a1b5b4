"""Load a package folder: all parts together, and warnings for its setter."""
