"""One judged case run once more because somebody asked: with its output gathered, by source line, over time."""
