import sys

n = int(input())
total = sum(int(input()) for i in range(n))
while total != 0:
    sys.stdout.write(f"{total}\n")  #~ too-much-output
