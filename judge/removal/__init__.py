"""Removing a person with their data."""
