from concurrent.futures import ThreadPoolExecutor
import sys

n, *a = map(int, sys.stdin.read().split())
with ThreadPoolExecutor(4) as pool:
    print(sum(pool.map(sum, (a[i::4] for i in range(4)))))
