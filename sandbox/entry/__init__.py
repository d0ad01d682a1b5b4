"""The entrances to the sandbox: its command line, and the names that others import."""
