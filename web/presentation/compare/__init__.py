"""The comparison page as plain values."""
