import sys

n = int(input())
put = sys.stdout.write
for i in range(1, n + 1):
    sys.stdout.write("%d" % i + chr(10))  #~ print-by-print
