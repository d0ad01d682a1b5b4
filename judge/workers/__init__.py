"""The worker: its processes and slots, its heartbeat, and what it looks after besides grading."""
