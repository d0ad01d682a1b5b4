import sys

queue = list(map(int, sys.stdin.read().split()))
queue.reverse()
queue.pop()
total = 0
while queue:
    total += queue[0]
    del queue[0]  #~ costly-container
print(total)
