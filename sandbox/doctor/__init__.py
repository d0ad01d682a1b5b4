"""Check this host: can it judge, is it healthy, what does the sandbox cost."""
