"""The setter's own programs: submissions, validators, and their expected results."""
