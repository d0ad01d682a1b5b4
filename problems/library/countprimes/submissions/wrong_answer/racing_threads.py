import sys
import threading

# Both threads count into one variable; the second one starts from what it saw at the start and overwrites the first.
a, b = map(int, input().split())
is_prime = bytearray([1]) * (b + 1)
is_prime[:2] = bytes(2)
for p in range(2, int(b**0.5) + 1):
    if is_prime[p]:
        is_prime[p * p :: p] = bytes(len(range(p * p, b + 1, p)))
found = 0
both_have_read = threading.Barrier(2)


def count(low, high):
    global found
    seen = found
    both_have_read.wait()
    found = seen + is_prime.count(1, low, high)


middle = (a + b) // 2
threads = [threading.Thread(target=count, args=part) for part in ((a, middle), (middle, b + 1))]
for thread in threads:
    thread.start()
for thread in threads:
    thread.join()
sys.stdout.write(f"{found}\n")
