"""Rerun one judged case on request: buffered, by line costs, by line times, as a timeline, or repeated as it is."""
