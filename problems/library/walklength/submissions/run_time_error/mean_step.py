import sys
from math import hypot

numbers = list(map(int, sys.stdin.read().split()))[1:]
places = list(zip(numbers[::2], numbers[1::2]))
steps = [hypot(x - u, y - v) for (u, v), (x, y) in zip(places, places[1:])]
mean = sum(steps) / len(steps)  # ZeroDivisionError when there is one place only
print(mean * len(steps))
