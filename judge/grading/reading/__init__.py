"""Code of the bounded reader: it parses what strangers made, in the jail that `sandbox.image.reading` opens for it.

The worker imports only `places`, which has the values that come back; import-linter holds it to that. Of the standard
library and tree-sitter the modules here use what they need and nothing else of Tally, so that a reader starts quickly.
"""
