"""Test groups: their settings, points and tree, in both formats."""
