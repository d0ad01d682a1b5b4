"""Statistics as plain values: histograms and boards of a problem, one person's progress."""
