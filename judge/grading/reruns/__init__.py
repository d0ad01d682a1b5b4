"""Rerun one judged case on request: buffered, by line costs, or as a timeline."""
