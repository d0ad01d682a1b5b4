import sys

words = sys.stdin.read().split()
seen = []
for word in words[1:]:
    if word not in seen:  #~ costly-container
        seen.append(word)
print(sum(map(int, seen)))
