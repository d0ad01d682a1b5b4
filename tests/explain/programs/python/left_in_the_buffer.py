import os
import sys

data = sys.stdin.read().split()
print(sum(map(int, data[1:])))
os._exit(0)  #~ lost-buffer
