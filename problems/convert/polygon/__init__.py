"""Convert packages of Codeforces' Polygon."""
