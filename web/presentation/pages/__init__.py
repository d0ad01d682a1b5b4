"""Pages put together: an own-input run, and the marks by which live pages notice changes."""
