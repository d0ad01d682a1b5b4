import sys


def main():
    n = int(input())
    size = 1_000
    ends = [f"{i:03d}\n" for i in range(size)]  # the last three digits, the same in every block
    for start in range(0, n, size):
        lines = min(size, n - start)
        if start == 0:
            sys.stdout.write("".join(f"{i}\n" for i in range(lines)))
        else:
            front = str(start // size)
            sys.stdout.write(front + front.join(ends[:lines]))


main()
