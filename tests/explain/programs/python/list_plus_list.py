import sys

values = []
for word in sys.stdin.read().split():
    values = values + [word]  #~ copying
print(sum(map(int, values[1:])))
