import sys
from bisect import bisect_right


def count(numbers):
    """Return the numbers in order and the inversions among them."""
    if len(numbers) <= 1:
        return numbers, 0
    middle = len(numbers) // 2
    left, in_left = count(numbers[:middle])
    right, in_right = count(numbers[middle:])
    inversions = in_left + in_right
    place = 0  # how many on the left are not larger than the number on the right
    for number in right:
        place = bisect_right(left, number, place)
        inversions += len(left) - place
    return sorted(left + right), inversions


def main():
    sys.stdin.readline()
    numbers = list(map(int, sys.stdin.readline().split()))
    print(count(numbers)[1])


main()
