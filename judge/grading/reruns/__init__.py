"""Rerun one judged case on request: buffered, by line costs, by line times, or as a timeline."""
