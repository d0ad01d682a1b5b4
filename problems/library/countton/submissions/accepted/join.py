def main():
    n = int(input())
    step = 5_000  # lines per portion: few calls of print, and little memory
    for start in range(0, n, step):
        print("\n".join(map(str, range(start, min(n, start + step)))))


main()
