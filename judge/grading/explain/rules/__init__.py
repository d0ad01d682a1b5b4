"""The rules: each file finds one cause in the facts and words it."""
