"""Measure a run: system calls by name, its timeline, the cost of its lines."""
