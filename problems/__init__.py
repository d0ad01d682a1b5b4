"""Problem packages: their files, statements, versions and storage."""
