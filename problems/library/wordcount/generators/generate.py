"""Write data/secret of this package, the same on every run. Run: python3 generators/generate.py"""

import random
import string
from pathlib import Path

SECRET = Path(__file__).resolve().parent.parent / "data" / "secret"


def write(name, k, lines):
    counts = {}
    for word in " ".join(lines).lower().split():
        counts[word] = counts.get(word, 0) + 1
    frequent = sorted(counts, key=lambda word: (-counts[word], word))[:k]
    (SECRET / f"{name}.in").write_text(f"{len(lines)} {k}\n" + "".join(f"{line}\n" for line in lines))
    (SECRET / f"{name}.ans").write_text("".join(f"{word} {counts[word]}\n" for word in frequent))


def random_case(rng, word):
    return rng.choice([word, word, word.capitalize(), word.upper()])


def random_text(rng, words, per_line, vocabulary):
    text = [random_case(rng, rng.choice(vocabulary)) for _ in range(words)]
    return [" ".join(text[i : i + per_line]) for i in range(0, words, per_line)]


def vocabulary(rng, size, least, most):
    return sorted({"".join(rng.choices(string.ascii_lowercase, k=rng.randint(least, most))) for _ in range(size)})


def main():
    rng = random.Random(20258)
    write("01-one-letter", 1, ["a A a A"])
    write("02-all-once", 5, ["echo delta", "charlie Bravo ALPHA"])
    write("03-prefixes", 6, ["a aa aaa", "AAA AA A", "aaaa aaaaa b"])
    write("04-longest", 2, ["x" * 20 + " " + "X" * 19] * 3)
    write("05-medium", 20, random_text(rng, 3_000, 7, vocabulary(rng, 60, 1, 5)))
    write("06-few-words", 20, random_text(rng, 40_000, 20, vocabulary(rng, 30, 2, 3)))
    write("07-many-words", 20, random_text(rng, 40_000, 2, vocabulary(rng, 30_000, 4, 5)))


if __name__ == "__main__":
    main()
