"""Compute verdict and points from judged cases, for both formats of test groups."""
