import multiprocessing
import sys


def add(values):
    total = 0
    for i in range(len(values) + 1):
        total += values[i]  #~ lost-part
    print(total)


if __name__ == "__main__":
    worker = multiprocessing.Process(target=add, args=([int(word) for word in sys.stdin.read().split()][1:],))
    worker.start()
    worker.join()
