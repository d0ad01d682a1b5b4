import sys


def count_missing(n, stations, w):
    width = 2 * w + 1
    count = 0
    start = 1  # the first flat that may not be served yet
    for station in stations:
        print(count, start, file=sys.stderr)
        gap = station - w - start
        if gap > 0:
            count += (gap + 2 * w) // width
        start = station + w + 1
    gap = n + 1 - start
    if gap > 0:
        count += (gap + 2 * w) // width
    return count


def main():
    n, _, _ = map(int, sys.stdin.readline().split())
    stations = list(map(int, sys.stdin.readline().split()))
    answers = [count_missing(n, stations, int(w)) for w in sys.stdin.readline().split()]
    print("\n".join(map(str, answers)))


main()
