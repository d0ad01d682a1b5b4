import sys


def answer(value):
    sys.stdout.write(str(value))  #~? flush-per-line
    sys.stdout.write("\n")  #~? flush-per-line
    sys.stdout.flush()  #~ flush-per-line


def main():
    n = int(input())
    i = 1
    while i <= n:
        answer(i)  #~? flush-per-line
        i += 1


main()
