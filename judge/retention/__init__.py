"""The table of results: its partitions by time, and letting old ones go."""
