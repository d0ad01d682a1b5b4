"""Pages put together: an own-input run, files to download, and the marks by which live pages notice changes."""
