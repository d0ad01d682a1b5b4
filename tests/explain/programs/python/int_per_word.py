import sys

total = 0
for word in sys.stdin.buffer.read().split()[1:]:
    total += int(word)  #~ conversion
print(total)
