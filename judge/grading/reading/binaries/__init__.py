"""Read a compiled program and what a run of it left: on which lines its time and its writes went."""
