"""The result page as plain values."""
