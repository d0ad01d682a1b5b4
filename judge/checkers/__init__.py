"""A package's own validators as checkers and interactors, what they leave for us, and the default one."""
