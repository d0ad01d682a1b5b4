"""Custom tests: people run a program on samples or on their own input, without a submission."""
