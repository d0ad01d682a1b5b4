"""Read a source with its grammar, in a process of its own (`python -m judge.grading.languages.syntax LANGUAGE`), which
`judge.grading.explain.code` starts and bounds: a parser in C, given whatever somebody sent, does not belong into the
worker."""
