"""Reading a source with its grammar. Runs in a process of its own (`python -m judge.languages.syntax LANGUAGE`), which
`judge.explain.code` starts and bounds: a parser in C, given whatever somebody sent, does not belong into the worker."""
