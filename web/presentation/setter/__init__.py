"""Pages for setters and staff as plain values: uploads, verification, rejudges, the class, workers."""
