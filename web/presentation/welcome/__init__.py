"""What strangers read: the recorded example of the home page, and the help page."""
