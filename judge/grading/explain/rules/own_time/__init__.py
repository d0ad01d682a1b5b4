"""The rules about CPU time that a program spends in itself, where no system call shows what it was for.

They put a place in the source beside numbers of the run that bound how often it can have run. Where these leave
another reading, nothing is said; `where_it_went` then tells what is measured.
"""
