"""Compare variants of a program, run by run in alternation: measure the difference and separate it from noise.

Plain values and functions; rows and tasks are in `judge.experiments.actions`.
"""
