import sys

words = sys.stdin.read().split()
stack = []
for word in words[1:]:
    stack.insert(0, word)  #~ costly-container
print(sum(int(word) for word in stack))
