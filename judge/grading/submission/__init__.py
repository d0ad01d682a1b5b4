"""The grading of one submission from its source to its verdict."""
