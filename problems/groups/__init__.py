"""Test cases, and their groups: settings, points and tree, in both formats."""
