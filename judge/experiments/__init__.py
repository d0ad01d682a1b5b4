"""Experiments as rows: what people start, and what workers record."""
