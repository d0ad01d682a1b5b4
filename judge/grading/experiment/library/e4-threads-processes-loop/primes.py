"""20,000 small tasks that only compute, done one after the other, by threads or by processes."""

import sys
from concurrent.futures import ProcessPoolExecutor, ThreadPoolExecutor

TASKS = 20_000
UP_TO = 400
AT_ONCE = 200  # that a process is handed; threads are handed one by one


def count_primes(up_to):
    count = 0
    for number in range(2, up_to):
        divisor = 2
        while divisor * divisor <= number and number % divisor:
            divisor += 1
        count += divisor * divisor > number
    return count


def main():
    way, workers = sys.argv[1], int(sys.argv[2])
    tasks = [UP_TO] * TASKS
    if way == "sequential":
        counts = list(map(count_primes, tasks))
    else:
        pool = {"threads": ThreadPoolExecutor, "processes": ProcessPoolExecutor}[way]
        with pool(workers) as executor:
            counts = list(executor.map(count_primes, tasks, chunksize=AT_ONCE))
    print(sum(counts))


if __name__ == "__main__":
    main()
