"""An open jail: its protocol, streams, pairs of programs, and how a run ended."""
