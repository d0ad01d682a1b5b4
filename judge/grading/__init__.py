"""The grading core in plain Python: a program and a package in, events out. No Django, no rows, no queue."""
