import sys


class Printer:
    """Prints answers."""

    def show(self, value):
        print(value, end="\n")
        sys.stdout.flush()


printer = Printer()
n = int(sys.stdin.readline())
for i in range(1, n + 1):
    printer.show(i)
