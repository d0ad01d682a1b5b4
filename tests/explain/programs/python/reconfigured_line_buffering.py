import sys

sys.stdout.reconfigure(line_buffering=True)  #~? flush-per-line

n = int(input())
for i in range(1, n + 1):
    print(i)  #~? flush-per-line
