"""Submissions as rows: taken in, recorded, compared, summarised for a class."""
