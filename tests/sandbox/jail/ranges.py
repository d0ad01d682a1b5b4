"""What each limit may be: the least and the most."""

_DAY_MS = 86_400_000
RANGES = {
    **dict.fromkeys(("cpu_time_ms", "wall_time_ms"), (1, _DAY_MS)),
    **dict.fromkeys(("memory_bytes", "output_bytes", "stderr_bytes", "scratch_bytes", "file_bytes"), (1, 1 << 40)),
    "stack_bytes": (0, 1 << 40),
    "processes": (1, 1 << 20),
    "open_files": (1, 1 << 20),
    "scratch_inodes": (8, 1 << 20),
    "overrun_percent": (0, 1 << 20),
}
