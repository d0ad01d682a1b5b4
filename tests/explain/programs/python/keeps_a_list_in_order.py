import sys
from bisect import insort

data = sys.stdin.read().split()
ordered = []
for word in data[1:]:
    insort(ordered, int(word))  #~ costly-container
print("\n".join(map(str, ordered)))
