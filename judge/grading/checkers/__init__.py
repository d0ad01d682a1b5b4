"""Checkers and interactors: a package's own validators, their feedback, and the default validator."""
