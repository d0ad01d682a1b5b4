"""Rerun one judged case on request: with its output buffered, by source line, over time."""
