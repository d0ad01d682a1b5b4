"""Variants of a program measured against each other, run by run in turns: what differs, and is it more than noise?

Plain values and functions; rows and tasks are in `judge.experimenting`.
"""
