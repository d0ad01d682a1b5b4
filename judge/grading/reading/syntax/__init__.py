"""Read a source with its grammar: what it does on which line, and the kinds of its tokens."""
