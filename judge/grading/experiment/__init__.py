"""Compare variants of a program by alternating runs: measure the difference and separate it from noise.

Plain values and functions; rows and tasks are in `judge.experiments.actions`.
"""
