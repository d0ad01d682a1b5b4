"""What running again shows: output buffered, a changed source, the growth, the timeline; and how much a reader sees."""
