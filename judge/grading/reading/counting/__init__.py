"""Part of the bounded reader: how often each line of a source ran, from what a counted run and its compiler left."""
