"""Call chains of a compiled program from samples of its registers and stack, read in a jail (`sandbox.image.reading`).

The program, its tables and the names of what it mapped are a stranger's. No module here imports anything of Tally but
its neighbours, so that a reader starts quickly.
"""
