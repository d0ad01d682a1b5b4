import threading

n = int(input())
counts = [0] * 4


def count(part):
    for x in range(2 + part, n + 1, 4):
        is_prime = True
        for d in range(2, int(x**0.5) + 1):
            if x % d == 0:
                is_prime = False
                break
        counts[part] += is_prime


threads = [threading.Thread(target=count, args=(part,)) for part in range(4)]
for thread in threads:
    thread.start()
for thread in threads:
    thread.join()
print(sum(counts))
