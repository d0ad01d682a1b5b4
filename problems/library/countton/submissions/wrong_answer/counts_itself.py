def main():
    n = int(input()) + 1
    step = 5_000
    for start in range(0, n, step):
        print("\n".join(map(str, range(start, min(n, start + step)))))


main()
