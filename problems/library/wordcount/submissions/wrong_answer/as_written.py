import sys
from collections import Counter

_, k, *words = sys.stdin.read().split()  # The and the are counted apart
counts = Counter(words)
for word in sorted(counts, key=lambda word: (-counts[word], word))[: int(k)]:
    print(word, counts[word])
