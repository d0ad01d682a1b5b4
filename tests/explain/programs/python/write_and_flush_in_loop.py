import sys

n = int(sys.stdin.readline())
for i in range(1, n + 1):
    sys.stdout.write(f"{i}\n")  #~? flush-per-line
    sys.stdout.flush()  #~ flush-per-line
