import sys

queue = list(map(int, sys.stdin.read().split()))
queue.pop(0)  #~? costly-container
total = 0
while queue:
    total += queue.pop(0)  #~ costly-container
print(total)
