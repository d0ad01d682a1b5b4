"""Check that the output names two different articles whose prices add up to the voucher, or rightly says that none do.

Usage: validate.py INPUT ANSWER FEEDBACK_DIR/ < OUTPUT. Exit 42 accepts, 43 rejects; anything else is a judge error.
"""

import sys
from pathlib import Path

ACCEPTED, REJECTED = 42, 43
MOST_DIGITS = 9


def find_fault(prices, target, is_possible, words):
    """Return what is wrong with the output, "" if it is right."""
    if [word.lower() for word in words] == ["impossible"]:
        return "there is a pair, but the output says impossible" if is_possible else ""
    if len(words) != 2:
        return f"expected two numbers or impossible, found {len(words)} words"
    if not all(word.isascii() and word.isdigit() and len(word) <= MOST_DIGITS for word in words):
        return f"expected two numbers, found {words[0][:40]!r} and {words[1][:40]!r}"
    i, j = map(int, words)
    if not (1 <= i <= len(prices) and 1 <= j <= len(prices)):
        return f"articles are numbered from 1 to {len(prices)}, found {i} and {j}"
    if i == j:
        return f"article {i} is named twice"
    if prices[i - 1] + prices[j - 1] != target:
        return f"articles {i} and {j} cost {prices[i - 1] + prices[j - 1]}, not {target}"
    return "" if is_possible else "JUDGE: the answer file says impossible, but this pair is right"


def main():
    input_file, answer_file, feedback_dir = map(Path, sys.argv[1:4])
    _, target, *prices = map(int, input_file.read_text().split())
    is_possible = answer_file.read_text().split() != ["impossible"]
    words = sys.stdin.buffer.read().decode("utf-8", "replace").split()
    fault = find_fault(prices, target, is_possible, words)
    if fault.startswith("JUDGE"):
        sys.exit(fault)
    if fault:
        (feedback_dir / "judgemessage.txt").write_text(fault + "\n")
    return REJECTED if fault else ACCEPTED


sys.exit(main())
