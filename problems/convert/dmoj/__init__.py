"""Convert problems of DMOJ."""
