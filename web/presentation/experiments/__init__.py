"""Experiments as pages show them: the cards, a run as table and picture, its sight, its export."""
