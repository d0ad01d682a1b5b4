import sys

data = sys.stdin.read().split()
ordered = []
for word in data[1:]:
    ordered.append(int(word))
    ordered = sorted(ordered)  #~ repeated-pass
print("\n".join(map(str, ordered)))
