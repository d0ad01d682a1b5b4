import sys


def main():
    numbers = list(map(int, sys.stdin.read().split()))[1:]
    places = list(zip(numbers[::2], numbers[1::2]))
    print(sum(abs(x - u) + abs(y - v) for (u, v), (x, y) in zip(places, places[1:])))


main()
