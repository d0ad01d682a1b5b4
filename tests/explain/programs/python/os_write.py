import os

n = int(input())
for i in range(1, n + 1):
    os.write(1, b"%d\n" % i)  #~ flush-per-line
