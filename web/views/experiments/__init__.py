"""Views of experiments."""
