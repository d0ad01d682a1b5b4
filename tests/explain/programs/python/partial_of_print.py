from functools import partial

say = partial(print, flush=True)  #~? flush-per-line

n = int(input())
for i in range(1, n + 1):
    say(i)  #~? flush-per-line
