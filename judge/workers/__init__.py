"""The worker: its processes and slots, its heartbeat, and its maintenance besides grading."""
