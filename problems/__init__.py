"""What is right: problem packages, their files, statements and versions."""
