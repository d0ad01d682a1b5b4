"""Control groups: one per jail, a fresh one per run."""
