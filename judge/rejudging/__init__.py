"""Judge submissions again: select, preview, apply or discard."""
