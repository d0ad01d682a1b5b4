import sys
from collections import Counter


def main():
    _, k, *words = sys.stdin.read().lower().split()
    counts = Counter(words)
    for word in sorted(counts, key=lambda word: (-counts[word], word))[: int(k)]:
        print(word, counts[word])


main()
