"""The setter's own programs: submissions, validators, and what is expected of them."""
