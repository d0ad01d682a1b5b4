import sys

_, k, *words = sys.stdin.read().lower().split()
counts = {word: words.count(word) for word in set(words)}  # walks through the whole text for every word
for word in sorted(counts, key=lambda word: (-counts[word], word))[: int(k)]:
    print(word, counts[word])
