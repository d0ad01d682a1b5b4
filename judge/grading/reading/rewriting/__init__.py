"""Change a source by its grammar tree: a module per language, a function `source -> edits` for each fix."""
